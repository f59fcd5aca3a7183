import { type Reason, reasonOf } from '../../core/decision/decide.ts';
import { checkTokenMode, tokenMode } from '../../core/rules/token-mode.ts';
import type { Dapp } from '../store/registry-store.ts';

/** Why users of a DApp may pay in no token; undefined if they may. For calls that do not decide an operation. */
export const tokenModeDenial = (dapp: Dapp): Reason | undefined =>
  dapp.tokenMode ? undefined : reasonOf([{ rule: tokenMode.type, ...checkTokenMode(dapp) }]);
