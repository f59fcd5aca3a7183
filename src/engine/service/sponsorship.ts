import { entryPointAddress } from '../../shared/entry-points.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { type EntryPointVersion, type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { readTank, requireRpc } from '../decision/chain-reads.ts';
import { decide } from '../decision/decide.ts';
import { tankKey } from '../decision/ledger-steps.ts';
import { quoteFees } from '../decision/quote.ts';
import { recordRefusal } from '../decision/recording.ts';
import { stubSponsorship } from '../decision/stub.ts';
import { requireLayout, requireReady, requireTokenReady } from '../paymaster/readiness.ts';
import { splitPaymasterAndData } from '../paymaster/paymaster-fields.ts';
import type { Paymaster } from '../store/store.ts';
import { rateWithPremium } from '../token-mode/amounts.ts';
import { priceTokens } from '../token-mode/quote-tokens.ts';
import { readOperation } from '../user-operation/read-operation.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const entryPointVersionOf = (version: string): EntryPointVersion => requireLayout(version).entryPointVersion;

/** Fees may be open while gas is estimated (ERC-7677): a stub takes none for zero. */
const withOpenFees = (sent: PartialUserOperation): PartialUserOperation => {
  if (sent.gasFees !== undefined) return sent;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = sent;
  return { ...sent, maxFeePerGas, maxPriorityFeePerGas };
};

/** The paymaster's part, from v0.7 on also as the operation's own fields. */
const promiseOf = (op: UserOperation, paymasterAndData: Hex) => {
  if (isV06(op) || paymasterAndData === '0x') return { paymasterAndData };
  const { paymaster, paymasterData, ...limits } = splitPaymasterAndData(paymasterAndData);
  return {
    paymasterAndData,
    fields: {
      paymaster,
      paymasterData,
      paymasterVerificationGasLimit: String(limits.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: String(limits.paymasterPostOpGasLimit),
    },
  };
};

/** Who asks, and about which operation. */
interface Asked {
  readonly apiKey: string;
  readonly chainId: number;
  readonly userOperation: PartialUserOperation;
  readonly method: string;
  readonly received: unknown;
}

/** Deciding for the DApp that an API key names. */
export const sponsorshipHandlers = (context: ServiceContext): Handlers<NamesOf<'sponsorship'>> => {
  const { store, vault, chains, rates } = context;

  const dappOf = async ({ apiKey, chainId }: Pick<Asked, 'apiKey' | 'chainId'>): Promise<Paymaster> => {
    const paymaster = await store.findPaymasterByApiKey(apiKey);
    if (paymaster?.chainId !== chainId) throw new EngineError('UNKNOWN_API_KEY');
    return paymaster;
  };

  /** What a DApp asks for, its operation in the form of its EntryPoint. What cannot be read so is stored, and thrown. */
  const read = async <Rest extends object>({ apiKey, chainId, userOperation, ...rest }: Asked & Rest) => {
    const paymaster = await dappOf({ apiKey, chainId });
    const { method, received } = rest;
    try {
      const target = { version: entryPointVersionOf(paymaster.version), chainId };
      return { ...rest, paymaster, userOperation: readOperation(userOperation, target) };
    } catch (error) {
      await recordRefusal(context, { paymaster, method, received }, error);
      throw error;
    }
  };

  return {
    'sponsorship.dapp': async (caller) => {
      const { name, version } = await dappOf(caller);
      const entryPointVersion = entryPointVersionOf(version);
      return { name, version, entryPointVersion, entryPoint: entryPointAddress[entryPointVersion] };
    },

    'sponsorship.sponsor': async (asked) => {
      const { decisionId, op, paymasterAndData, reason } = await decide(context, await read(asked));
      return {
        decisionId,
        sponsored: reason === undefined,
        ...promiseOf(op, paymasterAndData),
        callGasLimit: String(op.callGasLimit),
        verificationGasLimit: String(op.verificationGasLimit),
        preVerificationGas: String(op.preVerificationGas),
        ...(reason !== undefined && { reason }),
      };
    },

    'sponsorship.stub': async ({ userOperation, ...asked }) => {
      const request = await read({ ...asked, userOperation: withOpenFees(userOperation) });
      const { op, paymasterAndData, reason } = await stubSponsorship(context, request);
      return { ...promiseOf(op, paymasterAndData), ...(reason !== undefined && { reason }) };
    },

    'sponsorship.refused': async ({ apiKey, chainId, method, received, code, message, fix }) => {
      const paymaster = await store.findPaymasterByApiKey(apiKey);
      if (paymaster?.chainId !== chainId) return null;
      const error = new EngineError(code, message, fix === undefined ? {} : { fix });
      await recordRefusal(context, { paymaster, method, received }, error);
      return null;
    },

    'sponsorship.feeQuotes': async ({ options, ...asked }) =>
      quoteFees(context, await read({ ...asked, options: { ...options, mode: 'ERC20' as const } })),

    'sponsorship.feeTokens': async (caller) => {
      const { contract } = await requireTokenReady(store, vault, await dappOf(caller));
      const { priced } = await priceTokens(rates, await store.listFeeTokens(caller.chainId), []);
      const tokens = priced.map(({ token: { address, symbol, decimals, premium }, rate: { exchangeRate } }) => ({
        address,
        symbol,
        decimals,
        exchangeRate: String(rateWithPremium(exchangeRate, premium)),
      }));
      return { paymasterAddress: contract, tokens };
    },

    'sponsorship.balance': async (caller) => {
      const ready = await requireReady(store, vault, await dappOf(caller));
      const balanceWei = await readTank(requireRpc(await chains.rpc(caller.chainId), ready), ready);
      const [promisedWei = 0n] = await store.heldOf([{ key: tankKey(ready), kind: 'tank', amount: 0n }]);
      return { balanceWei: String(balanceWei), promisedWei: String(promisedWei) };
    },
  };
};
