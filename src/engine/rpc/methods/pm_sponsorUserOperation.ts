import type { RpcMethod } from '../method.ts';
import { sponsorBiconomy } from '../dialects/biconomy.ts';
import { sponsorPimlico } from '../dialects/pimlico.ts';

/** Two dialects under one name: Pimlico's has the EntryPoint's address where Biconomy's has an object of options. */
export const pmSponsorUserOperation: RpcMethod = {
  method: 'pm_sponsorUserOperation',
  handle: (params, context) =>
    typeof params[1] === 'string' ? sponsorPimlico(params, context) : sponsorBiconomy(params, context),
};
