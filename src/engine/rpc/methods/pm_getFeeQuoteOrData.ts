import { EngineError, type ErrorCode } from '../../../shared/errors.ts';
import { feeQuoteOptions } from '../../../shared/schema/sponsorship.ts';
import { decideBiconomy, readBiconomyRequest } from '../dialects/biconomy.ts';
import type { RpcMethod } from '../method.ts';

/** Where tokens are not taken, or nothing is signed: the denial of the sponsorship is the answer then. */
const WITHOUT_QUOTES: readonly ErrorCode[] = ['PAYMASTER_NOT_READY', 'NOT_SPONSORED'];

/**
 * Biconomy's dialect: `[partial user operation, options]`. SPONSORED answers as `pm_sponsorUserOperation` does, ERC20
 * quotes the tokens. Without a mode it is sponsored if the rules allow, else the tokens are quoted if the DApp takes any.
 */
export const pmGetFeeQuoteOrData: RpcMethod = {
  method: 'pm_getFeeQuoteOrData',
  async handle(params, context) {
    const { service, showReasons } = context;
    const request = await readBiconomyRequest(this.method, params, context, feeQuoteOptions);
    const { mode, ...options } = request.options;
    const quote = async (): Promise<unknown> => ({
      MODE: 'ERC20',
      mode: 'ERC20',
      ...(await service.run('sponsorship.feeQuotes', { ...request, options })),
    });
    if (mode === 'ERC20') {
      return quote().catch((error: unknown) => {
        const isHidden = !showReasons && error instanceof EngineError && error.code === 'NOT_SPONSORED';
        throw isHidden ? new EngineError('NOT_SPONSORED') : error;
      });
    }
    const sponsored = { ...request, options: { ...options, mode: mode ?? 'SPONSORED' } };
    const { sponsored: isSponsored, result } = await decideBiconomy(sponsored, context);
    if (mode !== undefined || isSponsored) return result;
    return quote().catch((error: unknown) => {
      if (error instanceof EngineError && WITHOUT_QUOTES.includes(error.code)) return result;
      throw error;
    });
  },
};
