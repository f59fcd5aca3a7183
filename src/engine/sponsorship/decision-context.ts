import type { Clock, Entropy } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import type { KeySets } from '../identity/key-sets.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import type { BelievedFees } from '../chain/fees/believed-fees.ts';
import type { Deposits } from './deposits.ts';
import type { PauseSwitch } from './pause-switch.ts';
import type { PayerContext } from './payer.ts';
import type { SigningThread } from '../signer/signing-thread.ts';

export interface DecisionContext extends PayerContext {
  readonly webhooks: Deliverer;
  readonly keySets: KeySets;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly pause: PauseSwitch;
  readonly signingThread: Pick<SigningThread, 'begin'>;
  readonly fees: Pick<BelievedFees, 'believe'>;
  readonly deposits: Pick<Deposits, 'ofOthers' | 'saw'>;
  readonly config: Pick<Config, 'outstandingSharePercent' | 'blankWebhookData'>;
}
