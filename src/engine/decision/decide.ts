import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { type Decoding, decodeCalls } from '../calls/decode-calls.ts';
import type { Clock, Entropy } from '../clock.ts';
import type { SponsorshipTerms } from '../paymaster/layout.ts';
import { withPaymasterAndData } from '../paymaster/paymaster-fields.ts';
import type { ReadyPaymaster } from '../paymaster/readiness.ts';
import { contractsRule } from '../rules/contracts.ts';
import { type DeploymentPolicy, walletDeploymentRule } from '../rules/wallet-deployment.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { signDigest } from '../signer/sign.ts';
import type { DappPolicy } from '../store/store.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { authorizationStep, checkAuthorization } from './authorization.ts';
import { readDelegate, readMoney, readNonce } from './chain-reads.ts';
import { type PauseSwitch, pauseSteps } from './pause-switch.ts';
import { type PayerContext, findPayer } from './payer.ts';
import { paymentClaim } from './payment-claim.ts';
import { type GasQuestion, withGas, withSentGas } from './operation-gas.ts';
import { type Progress, type SponsorshipRequest, decisionDraft } from './decision-draft.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { recordingFailure } from './recording.ts';
import { type Reason, type Step, reasonOf, ruleStep } from './steps.ts';
import { tryTaking } from './token-taking.ts';
import { AMPLE_CALL_GAS } from '../token-mode/try-payment.ts';
import { type WebhookAnswers, askWebhooks, needsAnswers } from './webhook-steps.ts';
import { whitelistOf } from './whitelist.ts';

/** What deciding works with. */
export interface DecisionContext extends PayerContext {
  readonly webhooks: Deliverer;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly pause: PauseSwitch;
}

/** How a request ended: signed, or the operation's gas values and the reason why not. */
export interface SponsorshipDecision {
  readonly decisionId: string;
  /** The operation with final gas values, and with the paymaster's part if it is sponsored. */
  readonly op: UserOperation;
  /** As the contracts take it, packed from v0.7 on; `0x` if it is not sponsored. */
  readonly paymasterAndData: Hex;
  readonly reason: Reason | undefined;
}

/** A paymaster's promise is good from a minute ago, so that clocks may differ (SPEC 4). */
const BACKDATE_S = 60;

/**
 * Decides whether to sponsor a user operation, in the order of SPEC 5. The decision is stored when this resolves;
 * a failure on the way is stored too, and thrown.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`, `CONTRACT_MISMATCH`, `CHAIN_UNREACHABLE`,
 *   `VAULT_LOCKED`, `GAS_ESTIMATION_FAILED`, `FEE_TOKEN_REQUIRED`, `TOKEN_NOT_SUPPORTED` or `VALIDATION`
 */
export const decide = (context: DecisionContext, request: SponsorshipRequest): Promise<SponsorshipDecision> =>
  recordingFailure(context, request, (progress) => decideInOrder(context, progress));

const decideInOrder = async (context: DecisionContext, progress: Progress): Promise<SponsorshipDecision> => {
  const { store, chains, clock } = context;
  const { paymaster, userOperation, options } = progress.request;
  const { ready: payer, sale: offered, rpc } = await findPayer(context, progress.request);
  await checkAuthorization(rpc, payer, userOperation, 'final');
  const senderNonce = await readNonce(rpc, payer, userOperation.sender);
  const delegate = await readDelegate(rpc, payer, userOperation);
  const termsNow = (): SponsorshipTerms =>
    termsAt(clock.now(), options.expiryDuration, payer, { senderNonce, delegate });

  // 1. Gas, which is estimated over a signed draft: not while nothing is signed.
  const paused = context.pause.current();
  const question: GasQuestion = {
    request: progress.request,
    ready: payer,
    sale: offered,
    chains,
    rpc,
    sponsor: (draft) => sponsor(offered?.estimating ?? payer, draft, termsNow()),
  };
  const { op: priced, step: gasStep } = paused === null ? await withGas(question) : withSentGas(question);
  const authorization = authorizationStep(userOperation);
  const notes = [gasStep, ...(authorization ? [authorization] : [])];
  progress.steps = notes;
  /** What was not estimated must not be signed either, though the pause may have ended meanwhile. */
  const pauseNow = (): Step[] => pauseSteps(clock, paused ?? context.pause.current());
  const gasOrigin =
    paused === null ? { open: options.calculateGasLimits } : { open: true, callGasLimit: AMPLE_CALL_GAS };
  const taking = offered && (await tryTaking(rpc, offered, priced, gasOrigin));
  const { sale, op } = taking ?? { sale: undefined, op: priced };
  const ready = sale?.ready ?? payer;
  const decoding = decodeOperation(op, ready);

  let asked: WebhookAnswers = new Map();
  for (;;) {
    // Whatever waits comes before the policy is read: what the operator changes meanwhile binds this operation.
    const settlements = await store.settlements();
    const money = await readMoney(rpc, ready, options.calculateGasLimits && paused === null);
    const payment = taking && (await paymentClaim(clock, rpc, taking, decoding));
    const rules = await store.dappPolicy(paymaster.paymasterId);
    const policy = sale === undefined ? rules : unbound(rules);

    // 2. Contracts, 3. wallet deployment
    progress.steps = [...notes, ...(sale === undefined ? localSteps(clock, policy, op, decoding) : [])];
    // 4. Spending limits, or what the user pays with; 5. gas tank
    const ledger = ledgerSteps(clock, { op, ready, policy, payment, money, now: clock.now() });

    // 6. Webhooks, only when no local rule denies. Afterwards everything is looked at anew.
    const preview = needsAnswers(policy, asked)
      ? [...pauseNow(), ...progress.steps, ...ledger.steps(await store.heldOf(ledger.claims)), ...asked.values()]
      : undefined;
    if (preview !== undefined && reasonOf(preview) === undefined) {
      asked = await askWebhooks(context, policy, op, progress, asked);
      continue;
    }

    // 7. Sign and store: one atomic step, so that no two operations are promised the same wei.
    const terms = termsNow();
    const concluded = { ...progress, now: clock.now(), policy, ready, sale, terms, op, decoding, delegate };
    const decided = await store.decideAndReserve({ claims: ledger.claims, settlements }, (held) => {
      // Where a webhook was not asked because a local rule denied, that denial stands.
      const steps = preview ?? [...pauseNow(), ...progress.steps, ...ledger.steps(held), ...asked.values()];
      const reason = reasonOf(steps);
      const paymasterAndData = reason === undefined ? sponsor(ready, op, terms) : '0x';
      return {
        decision: decisionDraft({ ...concluded, steps, reason, paymasterAndData }),
        reserve: reason === undefined,
      };
    });
    if (decided === undefined) continue;
    const { id: decisionId, code, rule, message, hint } = decided;
    const paymasterAndData = decided.paymasterAndData as Hex;
    if (decided.outcome === 'sponsored') {
      return { decisionId, op: withPaymasterAndData(op, paymasterAndData), paymasterAndData, reason: undefined };
    }
    return { decisionId, op, paymasterAndData, reason: { code, rule: rule ?? '', message, hint } };
  }
};

/** The rules that need nothing but the operation and the policy. */
export const localSteps = (clock: Clock, policy: DappPolicy, op: UserOperation, decoding: Decoding): Step[] => [
  ruleStep(clock, contractsRule.type, () => contractsRule.check(whitelistOf(policy), { sender: op.sender, decoding })),
  ruleStep(clock, walletDeploymentRule.type, () =>
    walletDeploymentRule.check(deploymentPolicy(policy), { deploys: deploysWallet(op) }),
  ),
];

/** The calls an operation makes, as its EntryPoint has its account read them. */
export const decodeOperation = ({ sender, callData }: UserOperation, { layout }: ReadyPaymaster): Decoding =>
  decodeCalls(callData, { sender, entryPointVersion: layout.entryPointVersion });

/**
 * True if the operation makes or initialises its account: it names a factory, or initialises an EIP-7702 account. An
 * account that only takes on a contract's code (the EIP-7702 marker without data) is there already.
 */
const deploysWallet = (op: UserOperation): boolean => {
  if (isV06(op)) return op.initCode !== '0x';
  const { factory, factoryData = '0x' } = op;
  return factory !== undefined && (!isEip7702(factory) || factoryData !== '0x');
};

const deploymentPolicy = ({ rules, contracts }: DappPolicy): DeploymentPolicy => {
  const deployment = rules.filter((rule) => rule.policyType === 'WALLET_DEPLOYMENT');
  return {
    allowed: deployment.some((rule) => rule.active),
    paused: deployment.some((rule) => !rule.active),
    restricted: contracts.length > 0,
  };
};

/** Whoever pays for himself is not bound by the rules of sponsorship (SPEC 6). */
export const unbound = ({ revision }: DappPolicy): DappPolicy => ({ revision, contracts: [], rules: [], webhooks: [] });

/** What the paymaster promises: a window around `now` (ms), and what the contract hashes besides. */
export const termsAt = (
  now: number,
  expiryDuration: number,
  { chainId, contract, fundingWallet }: ReadyPaymaster,
  { senderNonce, delegate }: { senderNonce: bigint | undefined; delegate: Address | undefined },
): SponsorshipTerms => {
  const seconds = Math.floor(now / 1000);
  return {
    chainId,
    paymaster: contract,
    validAfter: seconds - BACKDATE_S,
    validUntil: seconds + expiryDuration,
    ...(fundingWallet !== undefined && { fundingWallet }),
    ...(senderNonce !== undefined && { senderNonce }),
    ...(delegate !== undefined && { eip7702Delegate: delegate }),
  };
};

/** `paymasterAndData` of an operation, signed for its gas and fees. */
export const sponsor = ({ layout, key }: ReadyPaymaster, op: UserOperation, terms: SponsorshipTerms): Hex =>
  layout.encode(op, terms, signDigest(key.reveal(), layout.hash(op, terms)));
