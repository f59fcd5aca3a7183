import { type Reason, reasonOf } from '../../core/decide.ts';
import { checkTokenMode, tokenMode } from '../../core/rules/token-mode.ts';
import type { Paymaster } from '../store/registry-store.ts';

/** Why users of a DApp may pay in no token at all; undefined where they may. For what asks without an operation to decide. */
export const tokenModeDenial = (dapp: Paymaster): Reason | undefined =>
  dapp.tokenMode ? undefined : reasonOf([{ rule: tokenMode.type, ...checkTokenMode(dapp) }]);
