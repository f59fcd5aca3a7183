import type { EntryPoint } from '../../core/entry-points/entry-point.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { type Soon, soon } from '../base/soon.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import type { PartialUserOperation } from '../../shared/schema/partial-user-operation.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { type FeesBySpeed, type OperationFees, readBundlerFees } from '../chain/fees/bundler-fees.ts';
import { requireRpc, suggestFees } from '../sponsorship/chain-reads.ts';
import { readTank } from '../sponsorship/read-tank.ts';
import { decideOperation } from '../sponsorship/decide-operation.ts';
import type { SponsorshipRequest } from '../sponsorship/request-record.ts';
import { readFeeTokens } from '../sponsorship/fee-tokens.ts';
import { checkExpiry } from '../sponsorship/expiry.ts';
import { accountOfTank, reservedOf } from '../sponsorship/tank-account.ts';
import { allowancesOf } from '../sponsorship/allowances.ts';
import { quoteFees } from '../sponsorship/quote.ts';
import { forwardToBundler } from './forward-to-bundler.ts';
import { recordRefusal } from '../sponsorship/recording.ts';
import { commitSponsorship, denyBeforeGas, stubSponsorship } from '../sponsorship/stub.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import { type SigningRequest, checkSigning, wantsSuffix } from '../../core/paymaster-layouts/signing-apart.ts';
import { requireReady } from '../paymaster/readiness.ts';
import { splitSuffix } from '../../core/user-operation/paymaster-signature.ts';
import { splitPaymasterAndData } from '../../core/user-operation/paymaster-fields.ts';
import type { Dapp } from '../store/registry-store.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const entryPointOf = ({ version }: Dapp): EntryPoint => entryPoints[requireLayout(version).entryPointVersion];

/** Fees may be missing while gas is estimated (ERC-7677). For a stub, missing fees count as zero. */
const withOpenFees = (sent: PartialUserOperation): PartialUserOperation => {
  if (sent.gasFees !== undefined) return sent;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = sent;
  return { ...sent, maxFeePerGas, maxPriorityFeePerGas };
};

/** As the API answers it: in decimal text. */
const feesInText = ({ slow, standard, fast }: FeesBySpeed) => {
  const inText = (fees: OperationFees) => ({
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
  });
  return { slow: inText(slow), standard: inText(standard), fast: inText(fast) };
};

/**
 * `paymasterAndData` and, from v0.7 on, also the operation's separate paymaster fields.
 *
 * @param isApart true to return a signature that is a suffix of the data in a separate field
 */
const paymasterFieldsOf = (op: UserOperation, paymasterAndData: Hex, isApart = false) => {
  if (isV06(op) || paymasterAndData === '0x') return { paymasterAndData };
  const { paymaster, paymasterData, ...limits } = splitPaymasterAndData(paymasterAndData);
  const { signed, signature } = isApart ? splitSuffix(paymasterData) : { signed: paymasterData, signature: undefined };
  return {
    paymasterAndData,
    fields: {
      paymaster,
      paymasterData: signed,
      paymasterVerificationGasLimit: String(limits.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: String(limits.paymasterPostOpGasLimit),
      ...(signature !== undefined && { paymasterSignature: signature }),
    },
  };
};

/** True if the answer to a request contains the paymaster's signature in a separate field. */
const isAnsweredApart = ({ version }: Dapp, request: SigningRequest): boolean =>
  requireLayout(version).signsApart === true && !wantsSuffix(request);

/** An operation may have been sponsored several times, if it was requested repeatedly within a second. */
const MAX_SAME_HASH = 10;

interface ReceivedRequest {
  readonly apiKey: string;
  readonly chainId: number;
  readonly userOperation: PartialUserOperation;
  readonly method: string;
  readonly received: unknown;
}

/** Procedures that decide operations for the DApp of an API key. */
export const sponsorshipHandlers = (context: ServiceContext): Handlers<NamesOf<'sponsorship'>> => {
  const { store, vault, chains, config } = context;

  const dappOf = ({ apiKey, chainId }: Pick<ReceivedRequest, 'apiKey' | 'chainId'>): Soon<Dapp> =>
    soon(store.findDappByApiKey(apiKey), (dapp) => {
      if (dapp?.chainId !== chainId) throw new EngineError('UNKNOWN_API_KEY');
      return dapp;
    });

  /**
   * Parses a DApp's request, and converts its operation to the format of its EntryPoint. An error is stored as a
   * decision, and thrown.
   */
  const read = <Rest extends Pick<SponsorshipRequest, 'options'>>({
    apiKey,
    chainId,
    userOperation,
    ...rest
  }: ReceivedRequest & Rest) => {
    const { method, received } = rest;
    const isBlanked = config.blankWebhookData;
    const readFor = (dapp: Dapp) => {
      const entryPoint = entryPointOf(dapp);
      checkExpiry(dapp, rest.options);
      checkSigning(requireLayout(dapp.version), { userOperation, options: rest.options });
      return { ...rest, apiKey, dapp, isBlanked, userOperation: entryPoint.read(userOperation, chainId) };
    };
    const refuse = async (dapp: Dapp, error: unknown): Promise<never> => {
      await recordRefusal(context, { dapp, method, received, isBlanked }, error);
      throw error;
    };
    return soon(dappOf({ apiKey, chainId }), (dapp): Soon<ReturnType<typeof readFor>> => {
      try {
        return readFor(dapp);
      } catch (error) {
        return refuse(dapp, error);
      }
    });
  };

  return {
    'sponsorship.dapp': async (caller) => {
      const dapp = await dappOf(caller);
      const { name, version, sponsor } = dapp;
      const entryPoint = entryPointOf(dapp);
      return {
        name,
        ...(typeof sponsor?.icon === 'string' && { icon: sponsor.icon }),
        isSponsorTold: sponsor?.isTold ?? true,
        version,
        entryPointVersion: entryPoint.version,
        entryPoint: entryPoint.address,
      };
    },

    'sponsorship.sponsor': ({ isPaidByUserElse = false, ...input }) => {
      const sponsor = (request: SponsorshipRequest) => {
        const isCommit = input.options.signingPhase === 'commit';
        const decide = () => (isCommit ? commitSponsorship(context, request) : decideOperation(context, request));
        const denied = denyBeforeGas(context, request, isPaidByUserElse);
        const decided = denied === undefined ? decide() : denied.then((denial) => denial ?? decide());
        return decided.then(({ decisionId, op, paymasterAndData, reason }) => ({
          ...(decisionId !== undefined && { decisionId }),
          sponsored: reason === undefined,
          ...paymasterFieldsOf(op, paymasterAndData, isAnsweredApart(request.dapp, input)),
          callGasLimit: String(op.callGasLimit),
          verificationGasLimit: String(op.verificationGasLimit),
          preVerificationGas: String(op.preVerificationGas),
          ...(reason !== undefined && { reason }),
        }));
      };
      const request = read(input);
      return request instanceof Promise ? request.then(sponsor) : sponsor(request);
    },

    'sponsorship.stub': async ({ userOperation, ...rest }) => {
      const request = await read({ ...rest, userOperation: withOpenFees(userOperation) });
      const { op, paymasterAndData, reason } = await stubSponsorship(context, request);
      const isApart = isAnsweredApart(request.dapp, { userOperation, options: rest.options });
      return { ...paymasterFieldsOf(op, paymasterAndData, isApart), ...(reason !== undefined && { reason }) };
    },

    'sponsorship.feeQuotes': async ({ options, ...rest }) => {
      // Nothing is signed here, so a duration that is too long is reduced to the maximum.
      const { maxExpirySeconds } = await dappOf(rest);
      const expiryDuration = Math.min(options.expiryDuration, maxExpirySeconds);
      return quoteFees(
        context,
        await read({ ...rest, options: { ...options, expiryDuration, mode: 'ERC20' as const } }),
      );
    },

    'sponsorship.feeTokens': async (caller) => {
      const { paymasterAddress, dummy, tokens, reason } = await readFeeTokens(context, await dappOf(caller));
      return {
        paymasterAddress,
        ...(dummy && { dummy: paymasterFieldsOf(dummy.op, dummy.paymasterAndData) }),
        tokens: tokens.map(({ exchangeRate, postOpGas, nativeToUsd, ...token }) => ({
          ...token,
          exchangeRate: String(exchangeRate),
          postOpGas: String(postOpGas),
          nativeToUsd: String(nativeToUsd),
        })),
        ...(reason && { reason }),
      };
    },

    'sponsorship.gasPrice': async (caller) => {
      const ready = await requireReady(store, vault, await dappOf(caller));
      const bundler = await chains.bundler(caller.chainId);
      const byBundler = bundler && (await readBundlerFees(bundler));
      if (byBundler !== undefined) return feesInText(byBundler);
      const one = await suggestFees(requireRpc(await chains.rpc(caller.chainId), ready), ready, context.fees);
      return feesInText({ slow: one, standard: one, fast: one });
    },

    'sponsorship.forward': async ({ method, params, ...caller }) =>
      forwardToBundler(context, await dappOf(caller), method, params),

    'sponsorship.allowance': async ({ sender, voucher, idToken, ...caller }) => ({
      limits: await allowancesOf(context, await dappOf(caller), { sender, voucher, idToken }),
    }),

    'sponsorship.outcome': async ({ userOpHash, ...caller }) => {
      const { paymasterId } = await dappOf(caller);
      const found = await store.listDecisions({ userOpHash, paymasterId, limit: MAX_SAME_HASH });
      const decision = found.find(({ settlement }) => settlement === 'settled') ?? found[0];
      if (decision === undefined) return null;
      const { outcome, code, settlement, at, actualCostWei } = decision;
      return { outcome, code, settlement, at, ...(actualCostWei !== null && { actualCost: actualCostWei }) };
    },

    'sponsorship.balance': async (caller) => {
      const ready = await requireReady(store, vault, await dappOf(caller));
      const balanceWei = await readTank(requireRpc(await chains.rpc(caller.chainId), ready), ready);
      const reservedWei = await reservedOf(store, accountOfTank(ready));
      return { balanceWei: String(balanceWei), reservedWei: String(reservedWei) };
    },
  };
};
