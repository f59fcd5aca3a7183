import { isDeepStrictEqual } from 'node:util';
import type { CoinPrice, Facts } from '../../core/facts/facts.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { deploymentOf } from '../../core/calls/decode-deployment.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import type { RequestedOperation } from '../../core/user-operation/read-operation.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import { needsPrice } from '../../core/rules/needs-price.ts';
import { ruleInput } from '../../core/decision/rule-input.ts';
import { shareAccounts } from '../../core/rules/gas-tank.ts';
import { unreadHoldings } from '../../core/rules/token-holding.ts';
import { windowOf } from '../../core/decision/terms.ts';
import type { ReadyPaymaster, Tank } from '../paymaster/readiness.ts';
import { AMPLE_CALL_GAS } from '../token-mode/try-payment.ts';
import { type TokenHoldings, readTokenHoldings } from '../token-mode/token-holdings.ts';
import { blankedJson } from './blank.ts';
import { readAccount } from './account-reads.ts';
import type { Authority } from '../../shared/schema/gas-schedule.ts';
import type { GasSchedule } from '../../core/gas-schedules/gas-schedule.ts';
import { carriesAuthorization, readAuthority, withCheckedAuthorization } from './authorization.ts';
import { readHoldings } from './holding-reads.ts';
import { readDelegate, readMoney, readNonce } from './chain-reads.ts';
import { readGasUse } from './gas-use.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { accountOfTank } from './tank-account.ts';
import { scheduleOf } from '../chain/rpc.ts';
import { withGas, withGivenGas, withLeastGas } from './operation-gas.ts';
import type { Payer } from './payer.ts';
import type { SponsorshipRequest } from './request-record.ts';
import { type PaymentTrial, type TokenCharge, simulateTokenCharge } from './token-charge.ts';
import { renewUnreachableBudget } from './unreachable-budget.ts';

/** `draft`: paymaster data for estimating gas; gas and fees may be missing. `final`: the real decision. */
export type Stage = Facts['stage'];

/** An operation with its gas and payer. It is valid until the payer or the pause changes. */
export interface PreparedOperation {
  readonly stage: Stage;
  readonly payer: Payer;
  readonly op: UserOperation;
  /** The contract and key that sign; in token mode, with the payment's terms. */
  readonly ready: ReadyPaymaster;
  readonly charge: TokenCharge | undefined;
  readonly gasSource: Facts['gasSource'];
  readonly senderNonce: bigint | undefined;
  /** The contract to which an EIP-7702 account delegates. */
  readonly delegate: Address | undefined;
  /** True if the account has already signed the operation. */
  readonly isSigned: boolean;
  /** What the sender is before its EIP-7702 authorisation. */
  readonly authority: Authority | undefined;
  readonly schedule: GasSchedule;
}

const prepareDraft = async (
  { chains }: DecisionContext,
  request: SponsorshipRequest,
  payer: Payer,
): Promise<PreparedOperation> => {
  const { ready, rpc } = payer;
  const userOperation = await withCheckedAuthorization(rpc, ready, request.userOperation, 'draft');
  // Missing gas counts as free here, so a denial at this point would be a denial with any gas.
  const given = withLeastGas(withGivenGas(userOperation, ready), ready.layout.paymasterGas);
  const origin = { estimated: false, open: true, callGasLimit: AMPLE_CALL_GAS };
  const charge = payer.payment && (await simulateTokenCharge(rpc, payer.payment, given, origin));
  const found = { payer, ready: charge?.payment.charging ?? ready, op: charge?.op ?? given, charge };
  const schedule = await chains.gasSchedule(ready.chainId);
  const unread = { senderNonce: undefined, delegate: undefined, authority: undefined, isSigned: false };
  return { stage: 'draft', ...found, ...unread, gasSource: 'GAS_GIVEN', schedule };
};

/** The terms of a draft, at `now` (epoch ms). */
const draftTerms = (
  now: number,
  { chainId, contract, fundingWallet, layout }: ReadyPaymaster,
  { expiryDuration }: SponsorshipRequest['options'],
  { senderNonce, delegate }: Pick<PreparedOperation, 'senderNonce' | 'delegate'>,
) => ({
  chainId,
  paymaster: contract,
  ...windowOf(now, expiryDuration, layout),
  ...(fundingWallet !== undefined && { fundingWallet }),
  ...(senderNonce !== undefined && { senderNonce }),
  ...(delegate !== undefined && { eip7702Delegate: delegate }),
});

/** Requires the account's signature. @throws EngineError `VALIDATION` */
const requireSignature = ({ signature }: RequestedOperation): void => {
  if (signature !== '0x') return;
  const message = 'signature must be given with signingPhase finalize: the account signs before the paymaster';
  throw new EngineError('VALIDATION', message, { errors: [message] });
};

/** The chain's gas schedule, and what the price of the operation's authorisation depends on. */
const readGasPrices = async (
  chains: DecisionContext['chains'],
  { rpc, ready }: Payer,
  op: RequestedOperation,
): Promise<Pick<PreparedOperation, 'authority' | 'schedule'>> => ({
  authority: carriesAuthorization(op) ? await readAuthority(rpc, ready, op) : undefined,
  schedule: rpc === undefined ? await chains.gasSchedule(ready.chainId) : scheduleOf(rpc),
});

const prepareFinal = async (
  { chains, clock, entropy }: DecisionContext,
  request: SponsorshipRequest,
  payer: Payer,
  signsNothing: boolean,
): Promise<PreparedOperation> => {
  const { ready, rpc } = payer;
  const isSigned = request.options.signingPhase === 'finalize';
  if (isSigned) requireSignature(request.userOperation);
  const requested = request.userOperation;
  const userOperation = carriesAuthorization(requested)
    ? await withCheckedAuthorization(rpc, ready, requested, 'final')
    : requested;
  const nonce = readNonce(rpc, ready, userOperation.sender);
  const senderNonce = nonce && (await nonce);
  const asked = readDelegate(rpc, ready, userOperation);
  const delegate = asked && (await asked);
  const { authority, schedule } = await readGasPrices(chains, payer, userOperation);
  const terms = draftTerms(clock.now(), ready, request.options, { senderNonce, delegate });
  const drafting = payer.payment?.estimating ?? ready;
  const gas = signsNothing
    ? { op: withGivenGas(userOperation, ready), gasSource: 'GAS_NOT_ESTIMATED' as const }
    : await withGas({
        request: { ...request, userOperation },
        ready,
        chains,
        rpc,
        entropy,
        drafting,
        terms,
        authority,
      });
  const estimated = gas.gasSource === 'GAS_ESTIMATED';
  const origin = signsNothing
    ? { estimated, open: true, callGasLimit: AMPLE_CALL_GAS }
    : { estimated, open: estimated };
  const charge = payer.payment && (await simulateTokenCharge(rpc, payer.payment, gas.op, origin));
  const found = { payer, ready: charge?.payment.charging ?? ready, op: charge?.op ?? gas.op, charge };
  const read = { senderNonce, delegate, authority, schedule };
  return { stage: 'final', ...found, ...read, gasSource: gas.gasSource, isSigned };
};

/**
 * Finds the operation's gas. An estimate needs a signed draft, so with `signsNothing` no gas is estimated. An operation
 * without an estimate is never signed.
 *
 * @throws EngineError as `decideOperation`
 */
export const prepareOperation = (
  context: DecisionContext,
  stage: Stage,
  request: SponsorshipRequest,
  { payer, signsNothing }: { readonly payer: Payer; readonly signsNothing: boolean },
): Promise<PreparedOperation> =>
  stage === 'draft' ? prepareDraft(context, request, payer) : prepareFinal(context, request, payer, signsNothing);

/** The state of the chain, and the ledger version that was read before it. */
export interface ChainReads extends Pick<Facts, 'chain' | 'account' | 'gasUsed' | 'holdings' | 'token' | 'price'> {
  readonly ledgerVersion: number;
  readonly priceSource: NonNullable<Policy['chain']>['price'];
}

/** The payment's terms, without the user's holdings. */
export const tokenFacts = ({ payment, trial }: Pick<TokenCharge, 'payment' | 'trial'>): NonNullable<Facts['token']> => {
  const { token, treasury, transferGas } = payment;
  const { address, symbol, decimals, premium, preFund } = token;
  return {
    address,
    symbol,
    decimals,
    premium,
    preFund,
    treasury,
    exchangeRate: String(payment.exchangeRate),
    transferGas: { prefund: String(transferGas.prefund), afterwards: String(transferGas.afterwards) },
    ...(trial !== undefined && trialFacts(trial)),
  };
};

const asText = ({ allowance, balance }: TokenHoldings) => ({ allowance: String(allowance), balance: String(balance) });

const trialFacts = (trial: PaymentTrial): Pick<NonNullable<Facts['token']>, 'isTaken' | 'left' | 'callGasUsed'> => {
  if (trial.isTaken) return { isTaken: true, left: asText(trial.left) };
  return { isTaken: false, ...(trial.callGasUsed !== undefined && { callGasUsed: String(trial.callGasUsed) }) };
};

const readToken = async (
  { payer: { rpc }, op, ready, stage }: PreparedOperation,
  charge: TokenCharge,
): Promise<NonNullable<Facts['token']>> => {
  const { token, treasury, maxUnits, preFund } = charge.payment;
  // A charge of zero units is denied, whatever the user's balance is.
  if (rpc === undefined || (stage === 'final' && maxUnits(op) === 0n)) return tokenFacts(charge);
  const who = { chainId: ready.chainId, sender: op.sender, spender: ready.contract };
  const holdings = await readTokenHoldings(rpc, { ...who, token, treasury, prefundUnits: preFund(op) });
  return { ...tokenFacts(charge), holdings: holdings && asText(holdings) };
};

/** Facts if a rule needs a price that is not set. */
const NO_PRICE = { usd: null, error: 'no price is set for the chain' };

/**
 * The price of the native coin. If no rule needs the price, it is used only if it is already known, for showing amounts
 * and for trying drafts of limits.
 */
export const readCoinPrice = (
  rates: Pick<Rates, 'coinPrice' | 'coinPriceNow'>,
  policy: Policy,
): Promise<CoinPrice> | CoinPrice | undefined => {
  const { chainId } = policy.dapp;
  const source = policy.chain?.price;
  const isNeeded = needsPrice(policy);
  if (source === undefined) return isNeeded ? NO_PRICE : undefined;
  return isNeeded ? rates.coinPrice(chainId, source) : rates.coinPriceNow(chainId, source);
};

/** True if the account's code determines whether the operation deploys its account. */
const mayIgnoreFactory = ({ layout }: ReadyPaymaster, op: UserOperation): boolean =>
  entryPoints[layout.entryPointVersion].ignoresCreationOfExisting &&
  deploymentOf(op) !== undefined &&
  deploymentOf(op, true) === undefined;

type NodeReads = Pick<ChainReads, 'chain' | 'account' | 'gasUsed'>;

/** Reads what only the chain's node knows: tank and fees, and how the account and the operation do on the chain. */
const readNode = async (context: DecisionContext, prepared: PreparedOperation): Promise<NodeReads> => {
  const { stage, payer, ready, op, charge, gasSource, senderNonce, delegate, isSigned } = prepared;
  const { authority, schedule } = prepared;
  const isEstimated = gasSource === 'GAS_ESTIMATED';
  const isPaidInToken = charge !== undefined;
  const money = readMoney(context, payer.rpc, ready, { op, authority }, isEstimated || isPaidInToken);
  // An estimate has already simulated the account's validation.
  const isNeeded = (stage === 'final' && !isEstimated) || mayIgnoreFactory(ready, op);
  const question = { op, senderNonce, delegate, isSigned, isGasGiven: gasSource === 'GAS_GIVEN', money };
  const [chain, account, gasUsed] = await Promise.all([
    money,
    isNeeded ? readAccount(payer.rpc, ready, question) : undefined,
    stage === 'final'
      ? money.then((read) => readGasUse(payer.rpc, ready, { op, schedule, authority, chain: read, isPaidInToken }))
      : undefined,
  ]);
  return { chain, ...(account && { account }), ...(gasUsed !== undefined && { gasUsed }) };
};

type Settled<Values extends readonly unknown[]> = { -readonly [Index in keyof Values]: Awaited<Values[Index]> };

/** The values, without a promise if none of them is one. */
const all = <Values extends readonly unknown[]>(values: Values): Settled<Values> | Promise<Settled<Values>> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as Settled<Values>);

const WITHOUT_NODE: NodeReads = { chain: null };

/** Reads the chain state that a policy's rules need. @throws EngineError as `decideOperation` */
export const readChain = async (
  context: DecisionContext,
  prepared: PreparedOperation,
  policy: Policy,
): Promise<ChainReads> => {
  const { store, clock, rates } = context;
  const { payer, op, charge } = prepared;
  const ledgerVersion = await store.ledgerVersion();
  const reads = [
    payer.rpc === undefined ? WITHOUT_NODE : readNode(context, prepared),
    // Sponsorship rules do not apply to users who pay in a token.
    charge === undefined ? readHoldings(payer.rpc, op.sender, policy, clock.now()) : undefined,
    readCoinPrice(rates, policy),
  ] as const;
  const read = all(reads);
  const [node, holdings, price] = read instanceof Promise ? await read : read;
  const token = charge && (await readToken(prepared, charge));
  return {
    ledgerVersion,
    ...node,
    priceSource: policy.chain?.price,
    ...(holdings && { holdings }),
    ...(token && { token }),
    ...(price && { price }),
  };
};

/** Whether everything that the policy's rules need has been read, from the current sources. */
export const isRead = (facts: Facts, { priceSource }: Pick<ChainReads, 'priceSource'>, policy: Policy): boolean => {
  const isPriced = facts.price !== undefined || facts.token !== undefined || !needsPrice(policy);
  const isSameSource = isDeepStrictEqual(priceSource, policy.chain?.price);
  const isDeposited = facts.chain?.depositsWei !== undefined || facts.chain === null;
  if (policy.chain?.breaker === 'default' && !isDeposited) return false;
  return isPriced && isSameSource && unreadHoldings(ruleInput(facts, policy).policy, facts).length === 0;
};

/** Whether other senders or DApps share the ledger accounts of the sender's operation. */
export const readShared = async (
  { store }: Pick<DecisionContext, 'store'>,
  { tank, sender }: { readonly tank: Tank; readonly sender: Address },
  { dapp, policy }: CurrentPolicy,
): Promise<Facts['shared']> => {
  const [ofSender, ofDapp] = shareAccounts(accountOfTank(tank), sender, dapp.paymasterId);
  const hasBreaker = policy.chain !== null && policy.chain.breaker !== null;
  const [bySenders, byDapps, dapps] = await Promise.all([
    store.hasOtherAccount(ofSender),
    store.hasOtherAccount(ofDapp),
    hasBreaker ? store.countDapps(tank.chainId) : 0,
  ]);
  return { bySenders, byDapps, chain: dapps > 1 };
};

const contextOf = ({ options, isBlanked }: SponsorshipRequest): Pick<Facts, 'context'> => {
  const { sponsorshipInfo, policyId, sponsorshipPolicyId } = options;
  const { webhookData } = sponsorshipInfo;
  const context = {
    ...(webhookData && { webhookData: isBlanked ? blankedJson(webhookData) : webhookData }),
    ...(policyId !== undefined && { policyId }),
    ...(sponsorshipPolicyId !== undefined && { sponsorshipPolicyId }),
  };
  return Object.keys(context).length === 0 ? {} : { context };
};

/** Combines the facts of a decision. Only this function reads the clock for the decision. */
export const gatherFacts = async (
  context: DecisionContext,
  request: SponsorshipRequest,
  prepared: PreparedOperation,
  { reads, current, webhooks }: { reads: ChainReads; current: CurrentPolicy; webhooks: Facts['webhooks'] },
): Promise<Facts> => {
  const { stage, payer, ready, op, gasSource, senderNonce, delegate, authority, schedule } = prepared;
  const { ledgerVersion: _, priceSource: __, ...read } = reads;
  const at = context.clock.now();
  const hasNode = payer.rpc !== undefined;
  const { chain } = current.policy;
  if (read.chain !== null && chain !== null) {
    await renewUnreachableBudget(context.store, { ...chain, chainId: ready.chainId }, at);
  }
  return {
    v: 1,
    at,
    stage,
    op: toRpcUserOperation(op),
    gasSource,
    expiryDuration: request.options.expiryDuration,
    gasSchedule: schedule.name,
    ...(authority !== undefined && { authority }),
    hasNode,
    contract: {
      version: ready.layout.version,
      address: ready.contract,
      signer: ready.signer,
      ...(ready.fundingWallet !== undefined && { fundingWallet: ready.fundingWallet }),
    },
    ...(senderNonce !== undefined && { senderNonce: String(senderNonce) }),
    ...(delegate !== undefined && { delegate }),
    ...read,
    shared: await readShared(context, { tank: ready, sender: op.sender }, current),
    ...contextOf(request),
    webhooks,
  };
};
