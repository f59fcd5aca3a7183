import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import { readTank, requireRpc } from '../decision/chain-reads.ts';
import { decide } from '../decision/decide.ts';
import { tankKey } from '../decision/ledger-steps.ts';
import { stubSponsorship } from '../decision/stub.ts';
import { requireReady } from '../paymaster/readiness.ts';
import { findLayout } from '../paymaster/registry.ts';
import type { Paymaster } from '../store/store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

/** Deciding for the DApp that an API key names. */
export const sponsorshipHandlers = (context: ServiceContext): Handlers<NamesOf<'sponsorship'>> => {
  const { store, vault, chains } = context;

  const dappOf = async ({ apiKey, chainId }: { apiKey: string; chainId: number }): Promise<Paymaster> => {
    const paymaster = await store.findPaymasterByApiKey(apiKey);
    if (paymaster?.chainId !== chainId) throw new EngineError('UNKNOWN_API_KEY');
    return paymaster;
  };

  return {
    'sponsorship.dapp': async (caller) => {
      const { name, version } = await dappOf(caller);
      const layout = findLayout(version);
      if (layout === undefined) throw new EngineError('VERSION_NOT_SUPPORTED');
      const { entryPointVersion } = layout;
      return { name, version, entryPointVersion, entryPoint: entryPointAddress[entryPointVersion] };
    },

    'sponsorship.sponsor': async ({ apiKey, chainId, ...request }) => {
      const paymaster = await dappOf({ apiKey, chainId });
      const { decisionId, op, reason } = await decide(context, { paymaster, ...request });
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

    'sponsorship.stub': async ({ apiKey, chainId, ...request }) => {
      const paymaster = await dappOf({ apiKey, chainId });
      const { paymasterAndData, reason } = await stubSponsorship(context, { paymaster, ...request });
      return { paymasterAndData, ...(reason !== undefined && { reason }) };
    },

    'sponsorship.feeQuotes': async ({ apiKey, chainId, options }) => {
      const { contract } = await requireReady(store, vault, await dappOf({ apiKey, chainId }));
      const { tokenList, preferredToken } = options.tokenInfo ?? {};
      const unsupportedTokens = [...new Set([...(tokenList ?? []), ...(preferredToken ? [preferredToken] : [])])];
      return { paymasterAddress: contract, feeQuotes: [], unsupportedTokens };
    },

    'sponsorship.feeTokens': async (caller) => {
      const { contract } = await requireReady(store, vault, await dappOf(caller));
      return { paymasterAddress: contract, tokens: [] };
    },

    'sponsorship.balance': async (caller) => {
      const ready = await requireReady(store, vault, await dappOf(caller));
      const balanceWei = await readTank(requireRpc(await chains.rpc(caller.chainId), ready), ready);
      const [promisedWei = 0n] = await store.heldOf([{ key: tankKey(ready), kind: 'tank', amount: 0n, endsAt: null }]);
      return { balanceWei: String(balanceWei), promisedWei: String(promisedWei) };
    },
  };
};
