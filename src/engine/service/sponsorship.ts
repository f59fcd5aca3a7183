import { EngineError } from '../../shared/errors.ts';
import { decide } from '../decision/decide.ts';
import { findLayout } from '../paymaster/registry.ts';
import { readOperation } from '../user-operation/read-operation.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Deciding for the DApp that an API key names. */
export const sponsorshipHandlers = (context: ServiceContext): Handlers<NamesOf<'sponsorship'>> => ({
  'sponsorship.sponsor': async ({ apiKey, chainId, userOperation: sent, ...request }) => {
    const paymaster = await context.store.findPaymasterByApiKey(apiKey);
    if (paymaster?.chainId !== chainId) throw new EngineError('UNKNOWN_API_KEY');
    const layout = findLayout(paymaster.version);
    if (layout === undefined) throw new EngineError('VERSION_NOT_SUPPORTED');
    const userOperation = readOperation(sent, { version: layout.entryPointVersion, chainId });
    const decision = await decide(context, { paymaster, userOperation, ...request });
    const { decisionId, op, paymasterAndData, reason } = decision;
    return {
      decisionId,
      sponsored: reason === undefined,
      paymasterAndData,
      callGasLimit: String(op.callGasLimit),
      verificationGasLimit: String(op.verificationGasLimit),
      preVerificationGas: String(op.preVerificationGas),
      ...(reason !== undefined && { reason }),
    };
  },
});
