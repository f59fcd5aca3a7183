import { type Reason, reasonOf } from '../../core/decision/decide.ts';
import { checkTokenMode, tokenMode } from '../../core/rules/token-mode.ts';
import type { Dapp } from '../store/registry-store.ts';

/** Why users of a DApp cannot pay in tokens; undefined if they can. For calls that decide no operation. */
export const tokenModeDenial = (dapp: Dapp): Reason | undefined =>
  dapp.tokenMode ? undefined : reasonOf([{ rule: tokenMode.type, ...checkTokenMode(dapp) }]);
