import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';
import { addressKey } from '../../shared/schema/hex.ts';
import type { SponsorshipOptions } from '../../shared/schema/sponsorship.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { decodeCalls } from '../calls/decode-calls.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Clock, Entropy } from '../clock.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import type { SponsorshipTerms } from '../paymaster/layout.ts';
import { type ReadyPaymaster, requireReady } from '../paymaster/readiness.ts';
import { contractsRule } from '../rules/contracts.ts';
import { feesRule } from '../rules/fees.ts';
import { gasTankRule } from '../rules/gas-tank.ts';
import { type UnenforcedRule, notImplementedRule } from '../rules/not-implemented.ts';
import { signDigest } from '../signer/sign.ts';
import type { Vault } from '../signer/vault.ts';
import type { DappPolicy, Store, TankClaim } from '../store/store.ts';
import { readMoney, readNonce } from './chain-reads.ts';
import { withGas } from './operation-gas.ts';
import { type SponsorshipRequest, decisionDraft, failedDraft } from './decision-draft.ts';
import { type Reason, type Trace, createTrace } from './trace.ts';
import { whitelistOf } from './whitelist.ts';

/** What deciding works with. */
export interface DecisionContext {
  readonly store: Store;
  readonly vault: Vault;
  readonly chains: ChainAccess;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** How a request ended: signed, or the operation's gas values and the reason why not. */
export interface SponsorshipDecision {
  readonly decisionId: string;
  /** The operation with final gas values; its `paymasterAndData` is `0x` if it is not sponsored. */
  readonly op: UserOperationV06;
  readonly reason: Reason | undefined;
}

/** A paymaster's promise is good from a minute ago, so that clocks may differ (SPEC 4). */
const BACKDATE_S = 60;
/** How long after `validUntil` an operation may still turn up in a block (SPEC 5, Settlement). */
const SETTLE_GRACE_MS = 120_000;

/**
 * Decides whether to sponsor a user operation, in the order of SPEC 5. The decision is stored when this resolves;
 * a failure on the way is stored too, and thrown.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`, `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`,
 *   `VAULT_LOCKED`, `GAS_ESTIMATION_FAILED`, `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED` or `VALIDATION`
 */
export const decide = async (context: DecisionContext, request: SponsorshipRequest): Promise<SponsorshipDecision> => {
  const decisionId = context.entropy.uuid();
  const trace = createTrace(context.clock);
  try {
    return await decideInOrder(context, request, decisionId, trace);
  } catch (error) {
    const draft = failedDraft(decisionId, context.clock.now(), request, trace, error);
    await context.store.decideAndReserve(undefined, draft.at, () => ({ decision: draft, reserve: false }));
    throw error;
  }
};

const decideInOrder = async (
  context: DecisionContext,
  request: SponsorshipRequest,
  decisionId: string,
  trace: Trace,
): Promise<SponsorshipDecision> => {
  const { store, chains, clock } = context;
  const { paymaster, userOperation, options } = request;
  if (options.mode === 'ERC20') throw tokenModeFault(options);

  const ready = await requireReady(store, context.vault, paymaster);
  const rpc = await chains.rpc(paymaster.chainId);
  await ensureAgreement(store, rpc, ready);
  const senderNonce = await readNonce(rpc, ready, userOperation.sender);
  const termsNow = (): SponsorshipTerms => termsAt(clock.now(), options.expiryDuration, ready, senderNonce);

  // 1. Gas
  const op = await withGas({
    request,
    ready,
    chains,
    rpc,
    trace,
    sponsor: (draft) => sponsor(ready, draft, termsNow()),
  });

  // Everything that waits for the chain comes first: what the operator changes meanwhile binds this operation.
  const money = await readMoney(rpc, ready, options.calculateGasLimits);
  const policy = await store.dappPolicy(paymaster.paymasterId);

  // 2. Contracts
  const decoding = decodeCalls(op.callData, { sender: op.sender, entryPointVersion: ready.layout.entryPointVersion });
  trace.run(contractsRule.type, () => contractsRule.check(whitelistOf(policy), { sender: op.sender, decoding }));

  // 3., 4. and 6. are not enforced yet: what is set up for them denies.
  trace.run(notImplementedRule.type, () => notImplementedRule.check(unenforced(policy), null));

  trace.run(feesRule.type, () =>
    feesRule.check(null, { maxFeePerGasWei: op.maxFeePerGas, baseFeeWei: money?.baseFeeWei }),
  );

  // 5. Gas tank, 7. sign and store: one atomic step, so that no two operations are promised the same wei.
  const now = clock.now();
  const terms = termsNow();
  const signed = { ...op, paymasterAndData: sponsor(ready, op, terms) };
  const claim = claimFor(ready, terms, op);
  const record = await store.decideAndReserve(claim, now, (promisedWei) => {
    const tank = { balanceWei: money?.balanceWei, promisedWei, neededWei: claim.amountWei };
    trace.run(gasTankRule.type, () => gasTankRule.check(null, tank));
    const reason = trace.reason();
    const answered = reason === undefined ? signed : op;
    const decision = decisionDraft({
      decisionId,
      op: answered,
      reason,
      request,
      now,
      policy,
      trace,
      ready,
      terms,
      claim,
    });
    return { decision, reserve: reason === undefined };
  });
  return { decisionId, op: record.outcome === 'sponsored' ? signed : op, reason: trace.reason() };
};

const tokenModeFault = ({ tokenInfo }: SponsorshipOptions): EngineError => {
  const token = tokenInfo?.feeTokenAddress;
  if (token === undefined || token === null) return new EngineError('FEE_TOKEN_REQUIRED');
  return new EngineError('TOKEN_NOT_SUPPORTED', `The fee token ${token} is not supported`, { supported: [] });
};

const unenforced = ({ rules, webhooks }: DappPolicy): UnenforcedRule[] => [
  ...rules.filter((rule) => rule.active).map((rule) => ({ name: rule.name, type: rule.policyType })),
  // By its id: the reason goes to whoever asks, and the URL may carry a key.
  ...webhooks
    .filter((webhook) => webhook.active)
    .map((webhook) => ({ name: webhook.webhookId, type: 'registered webhook' })),
];

/** What the paymaster promises: a window around `now` (ms), and what the contract hashes besides. */
const termsAt = (
  now: number,
  expiryDuration: number,
  { chainId, contract, fundingWallet }: ReadyPaymaster,
  senderNonce: bigint | undefined,
): SponsorshipTerms => {
  const seconds = Math.floor(now / 1000);
  return {
    chainId,
    paymaster: contract,
    validAfter: seconds - BACKDATE_S,
    validUntil: seconds + expiryDuration,
    ...(fundingWallet !== undefined && { fundingWallet }),
    ...(senderNonce !== undefined && { senderNonce }),
  };
};

/** `paymasterAndData` of an operation, signed for its gas and fees. */
const sponsor = ({ layout, key }: ReadyPaymaster, op: UserOperationV06, terms: SponsorshipTerms): Hex =>
  layout.encode(op, terms, signDigest(key.reveal(), layout.hash(op, terms)));

const claimFor = (ready: ReadyPaymaster, terms: SponsorshipTerms, op: UserOperationV06): TankClaim => ({
  tankId: [ready.chainId, addressKey(ready.contract), addressKey(ready.fundingWallet ?? '0x')].join(':'),
  amountWei: ready.layout.reservedCost(op),
  releaseAt: terms.validUntil * 1000 + SETTLE_GRACE_MS,
});
