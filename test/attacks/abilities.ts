import { acceptedBySetting } from '../../src/engine/config/config.ts';
import { procedures } from '../../src/api/index.ts';

const chainSettings: object = procedures['chains.set'].input.shape;

/** What the desk can do, so that the same attacks are played on desks from before and after it could. */
export const abilities = {
  /** `chain set --max-operation-cost`: the most that one operation may cost. */
  operationCost: 'maxOperationCostWei' in chainSettings,
  /** The breaker pauses a DApp by itself, and the operator resumes it. */
  dappPause: 'paymasters.resume' in procedures,
  /** JSON-RPC bodies have a bound of their own. */
  rpcBodyLimit: acceptedBySetting.has('rpcBodyLimitBytes'),
};
