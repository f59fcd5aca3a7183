import { campaign } from './campaign.ts';
import { nftMembers } from './nft-members.ts';
import { oneMethod } from './one-method.ts';
import { onboarding } from './onboarding.ts';
import { people } from './people.ts';
import type { Template } from './template.ts';
import { weekend } from './weekend.ts';

/** The templates, in the order in which they are listed. */
export const templates: readonly Template[] = [campaign, onboarding, people, oneMethod, nftMembers, weekend];
