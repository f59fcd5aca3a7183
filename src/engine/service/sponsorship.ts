import { EngineError } from '../../shared/errors.ts';
import { decide } from '../decision/decide.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Deciding for the DApp that an API key names. */
export const sponsorshipHandlers = (context: ServiceContext): Handlers<NamesOf<'sponsorship'>> => ({
  'sponsorship.sponsor': async ({ apiKey, chainId, method, userOperation, options, received }) => {
    const paymaster = await context.store.findPaymasterByApiKey(apiKey);
    if (paymaster?.chainId !== chainId) throw new EngineError('UNKNOWN_API_KEY');
    const { decisionId, op, reason } = await decide(context, { paymaster, method, userOperation, options, received });
    return {
      decisionId,
      sponsored: reason === undefined,
      paymasterAndData: op.paymasterAndData,
      callGasLimit: String(op.callGasLimit),
      verificationGasLimit: String(op.verificationGasLimit),
      preVerificationGas: String(op.preVerificationGas),
      ...(reason !== undefined && { reason }),
    };
  },
});
