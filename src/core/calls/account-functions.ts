import type { AccountDecoder } from './account-call.ts';
import { biconomy } from './biconomy.ts';
import { coinbase } from './coinbase.ts';
import { erc7579 } from './erc-7579.ts';
import { kernelV2 } from './kernel-v2.ts';
import { metamask } from './metamask.ts';
import { safe7579 } from './safe-7579.ts';
import { safe } from './safe.ts';
import { simpleAccount } from './simple-account.ts';

/**
 * The decoder of every known account function, by selector. To add an account family, write its file and list it here.
 * If several families share a selector, it must mean the same in all of them: callData does not name the kind of
 * account.
 */
export const accountFunctions: ReadonlyMap<string, AccountDecoder> = new Map(
  [simpleAccount, biconomy, kernelV2, erc7579, safe, safe7579, coinbase, metamask].flatMap((family) =>
    Object.entries(family),
  ),
);
