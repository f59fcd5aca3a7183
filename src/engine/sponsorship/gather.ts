import { isDeepStrictEqual } from 'node:util';
import type { CoinPrice, Facts } from '../../core/facts/facts.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import { deploymentOf } from '../../core/calls/decode-deployment.ts';
import { entryPoints } from '../../core/entry-points/registry.ts';
import { toRpcUserOperation } from '../../core/user-operation/rpc-user-operation.ts';
import { needsPrice } from '../../core/rules/needs-price.ts';
import type { RuleInput } from '../../core/rules/rule.ts';
import { shareAccounts } from '../../core/rules/gas-tank.ts';
import { unreadHoldings } from '../../core/rules/token-holding.ts';
import { readSubjects } from '../identity/read-subjects.ts';
import type { ReadyPaymaster, Tank } from '../paymaster/readiness.ts';
import { type TokenHoldings, readTokenHoldings } from '../token-mode/token-holdings.ts';
import { type Soon, allSoon, soon } from '../base/soon.ts';
import { blankedJson } from './blank.ts';
import { readAccount } from './account-reads.ts';
import { readHoldings } from './holding-reads.ts';
import { readMoney } from './chain-reads.ts';
import { readGasUse } from './gas-use.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { accountOfTank } from './tank-account.ts';
import type { SponsorshipRequest } from './request-record.ts';
import { type PaymentTrial, type TokenCharge } from './token-charge.ts';
import { renewUnreachableBudget } from './unreachable-budget.ts';
import type { PreparedOperation } from './prepare.ts';

/** The state of the chain, and the ledger version that was read before it. */
export interface ChainReads extends Pick<
  Facts,
  'chain' | 'account' | 'gasUsed' | 'holdings' | 'subjects' | 'token' | 'price'
> {
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
  const { left, callGasUsed } = trial;
  return {
    isTaken: false,
    ...(left !== undefined && { left: asText(left) }),
    ...(callGasUsed !== undefined && { callGasUsed: String(callGasUsed) }),
  };
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

const WITHOUT_NODE: NodeReads = { chain: null };

/** Reads what a policy's rules need: the chain's state, and who sends the operation. @throws EngineError as `decideOperation` */
export const readChain = (
  context: DecisionContext,
  request: Pick<SponsorshipRequest, 'options'>,
  prepared: PreparedOperation,
  policy: Policy,
): Soon<ChainReads> =>
  soon(prepared.ledgerVersion ?? context.store.ledgerVersion(), (version) =>
    readAt(version, context, request, prepared, policy),
  );

const readAt = (
  ledgerVersion: number,
  context: DecisionContext,
  { options }: Pick<SponsorshipRequest, 'options'>,
  prepared: PreparedOperation,
  policy: Policy,
): Soon<ChainReads> => {
  const { payer, op, charge } = prepared;
  const now = context.clock.now();
  // Sponsorship rules do not apply to users who pay in a token.
  const isSponsored = charge === undefined;
  // It throws at once if the vault is locked, so it comes before what continues by itself.
  const subjects = isSponsored ? readSubjects(context, { ...options, sender: op.sender }, policy, now) : undefined;
  const reads = allSoon([
    payer.rpc === undefined ? WITHOUT_NODE : readNode(context, prepared),
    isSponsored ? readHoldings(payer.rpc, op.sender, policy, now) : undefined,
    subjects,
    readCoinPrice(context.rates, policy),
  ]);
  return soon(reads, ([node, holdings, verified, price]) =>
    soon(charge && readToken(prepared, charge), (token) => ({
      ledgerVersion,
      ...node,
      priceSource: policy.chain?.price,
      ...(holdings && { holdings }),
      ...(verified && { subjects: verified }),
      ...(token && { token }),
      ...(price && { price }),
    })),
  );
};

/** Whether everything that the policy's rules need has been read, from the current sources. */
export const isRead = (input: RuleInput, { priceSource }: Pick<ChainReads, 'priceSource'>, policy: Policy): boolean => {
  const { facts } = input;
  const isPriced = facts.price !== undefined || facts.token !== undefined || !needsPrice(policy);
  const isSameSource = isDeepStrictEqual(priceSource, policy.chain?.price);
  const isDeposited = facts.chain?.depositsWei !== undefined || facts.chain === null;
  if (policy.chain?.breaker === 'default' && !isDeposited) return false;
  const isUnread = unreadHoldings(input.policy, facts).length > 0 || input.isSubjectUnread;
  return isPriced && isSameSource && !isUnread;
};

/** Whether other senders or DApps share the ledger accounts of the sender's operation. */
export const readShared = (
  { store }: Pick<DecisionContext, 'store'>,
  { tank, sender }: { readonly tank: Tank; readonly sender: Address },
  { dapp, policy }: CurrentPolicy,
): Soon<Facts['shared']> => {
  const [ofSender, ofDapp] = shareAccounts(accountOfTank(tank), sender, dapp.paymasterId);
  const hasBreaker = policy.chain !== null && policy.chain.breaker !== null;
  const reads = allSoon([
    store.hasOtherAccount(ofSender),
    store.hasOtherAccount(ofDapp),
    hasBreaker ? store.countDapps(tank.chainId) : 0,
  ]);
  return soon(reads, ([bySenders, byDapps, dapps]) => ({ bySenders, byDapps, chain: dapps > 1 }));
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
export const gatherFacts = (
  context: DecisionContext,
  request: SponsorshipRequest,
  prepared: PreparedOperation,
  { reads, current, webhooks }: { reads: ChainReads; current: CurrentPolicy; webhooks: Facts['webhooks'] },
): Soon<Facts> => {
  const { stage, payer, ready, op, gasSource, senderNonce, delegate, authority, schedule } = prepared;
  const { ledgerVersion: _, priceSource: __, ...read } = reads;
  const at = context.clock.now();
  const hasNode = payer.rpc !== undefined;
  const { chain } = current.policy;
  const renewed =
    read.chain !== null && chain !== null
      ? renewUnreachableBudget(context.store, { ...chain, chainId: ready.chainId }, at)
      : undefined;
  const shared = soon(renewed, () => readShared(context, { tank: ready, sender: op.sender }, current));
  return soon(shared, (sharing) => ({
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
    shared: sharing,
    ...contextOf(request),
    webhooks,
  }));
};
