import { parse } from '../../../shared/schema/parse.ts';
import { feeQuoteOptions } from '../../../shared/schema/sponsorship.ts';
import { biconomyResult, readBiconomyRequest } from '../dialects/biconomy.ts';
import type { RpcMethod } from '../method.ts';

/**
 * Biconomy's dialect: `[partial user operation, options]`. SPONSORED answers as `pm_sponsorUserOperation` does, ERC20
 * quotes the tokens. Without a mode it is sponsored if the rules allow, else the tokens are quoted.
 */
export const pmGetFeeQuoteOrData: RpcMethod = {
  method: 'pm_getFeeQuoteOrData',
  async handle(params, context) {
    const request = readBiconomyRequest(this.method, params, context);
    const { mode, ...options } = parse(feeQuoteOptions, params[1], 'params[1]');
    if (mode !== 'ERC20') {
      const sponsored = { ...request, options: { ...options, mode: mode ?? 'SPONSORED' } };
      const answer = await context.service.run('sponsorship.sponsor', sponsored);
      if (mode !== undefined || answer.sponsored) return biconomyResult(answer, context);
    }
    const quoted = { ...request, options: { ...options, mode: 'ERC20' as const } };
    return { MODE: 'ERC20', mode: 'ERC20', ...(await context.service.run('sponsorship.feeQuotes', quoted)) };
  },
};
