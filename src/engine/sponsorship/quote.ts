import { reasonOf } from '../../core/decision/decide.ts';
import { ruleInput } from '../../core/decision/rule-input.ts';
import { fees } from '../../core/rules/fees.ts';
import { windowOf } from '../../core/decision/terms.ts';
import { paymentTerms } from '../../core/token-mode/payment-terms.ts';
import type { FeeQuote } from '../../shared/schema/fee-token.ts';
import type { Address } from '../../shared/schema/hex.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { ensureVerified } from '../paymaster/verify-contract.ts';
import { requireTokenReady } from '../paymaster/readiness.ts';
import { requestedTokens } from '../token-mode/fee-token-choice.ts';
import { priceTokens, quotePayment } from '../token-mode/quote-tokens.ts';
import type { ReadyPaymentTerms } from '../token-mode/ready-payment-terms.ts';
import { tokenModeDenial } from '../token-mode/token-mode-denial.ts';
import { tryTransfer } from '../token-mode/try-payment.ts';
import { readAuthority, withCheckedAuthorization } from './authorization.ts';
import { readDelegate, readMoney } from './chain-reads.ts';
import { currentPolicy } from './current-policy.ts';
import type { DecisionContext } from './decision-context.ts';
import { gatherFacts, tokenFacts } from './gather.ts';
import { notSponsored } from './not-sponsored.ts';
import { withGas } from './operation-gas.ts';
import { requireUnpaused } from './pause-switch.ts';
import { readGasUse } from './gas-use.ts';
import type { SponsorshipRequest } from './request-record.ts';
import { withGasForCharge } from './token-charge.ts';

/** Quotes in the requested order, and the contract that the user must approve. */
export interface FeeQuotes {
  readonly paymasterAddress: Address;
  readonly feeQuotes: FeeQuote[];
  readonly unsupportedTokens: Address[];
}

/**
 * The maximum cost of an operation in the requested tokens. Decides and stores nothing, and returns no signature. An
 * operation that would be denied because of its gas or fees has no price.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, also for a version without token mode; `NOT_SPONSORED` for gas and fees
 * that are always denied, while sponsorship is paused, and if users of the DApp may not pay in tokens; else
 * as deciding and rates do
 */
export const quoteFees = async (context: DecisionContext, request: SponsorshipRequest): Promise<FeeQuotes> => {
  const { store, vault, chains, clock, entropy, rates } = context;
  const { dapp, options } = request;
  requireUnpaused(context, dapp);
  const denial = tokenModeDenial(dapp);
  if (denial !== undefined) throw notSponsored(denial);
  const contract = await requireTokenReady(store, vault, dapp);
  const rpc = await chains.rpc(dapp.chainId);
  await ensureVerified(store, rpc, contract);
  const supported = await store.listFeeTokens(dapp.chainId);
  const { priced, unsupportedTokens } = await priceTokens(rates, supported, requestedTokens(options.tokenInfo));
  const { sender } = request.userOperation;
  const payers = await Promise.all(
    priced.map(async ({ token, rate }) => {
      const payment = await withTriedTransfer(rpc, paymentTerms(contract, token, rate.exchangeRate), sender);
      return { ready: payment.charging, payment, rate, rpc };
    }),
  );
  const answer = { paymasterAddress: contract.contract, unsupportedTokens };

  // The estimated gas does not depend on the token.
  const [first] = payers;
  if (first === undefined) return { ...answer, feeQuotes: [] };
  const { ready, payment } = first;
  const userOperation = await withCheckedAuthorization(rpc, ready, request.userOperation, 'draft');
  const [delegate, authority, schedule] = await Promise.all([
    readDelegate(rpc, ready, userOperation),
    readAuthority(rpc, ready, userOperation),
    chains.gasSchedule(ready.chainId),
  ]);
  const window = windowOf(clock.now(), options.expiryDuration, ready.layout);
  const promise = { chainId: ready.chainId, paymaster: ready.contract, ...window };
  const terms = { ...promise, ...(delegate !== undefined && { eip7702Delegate: delegate }) };
  const gas = await withGas({
    request: quotable({ ...request, userOperation }),
    ready,
    chains,
    rpc,
    entropy,
    drafting: payment.estimating,
    terms: () => terms,
    authority,
  });
  const isEstimated = gas.gasSource === 'GAS_ESTIMATED';
  const chain = await readMoney(context, rpc, ready, { op: gas.op, authority }, isEstimated);
  const current = await currentPolicy(context, dapp);
  const feeQuotes = await Promise.all(
    payers.map(async (payer) => {
      const op = withGasForCharge(payer.payment, isEstimated ? payer.payment.withTransfers(gas.op) : gas.op);
      const { gasSource } = gas;
      const charge = { payment: payer.payment, op, trial: undefined };
      const stage = 'draft' as const;
      const prepared = { stage, payer, ready: payer.ready, op, charge, gasSource, delegate, authority, schedule };
      const gasUsed = await readGasUse(rpc, ready, { op, schedule, authority, chain, isPaidInToken: true });
      const reads = {
        ledgerVersion: 0,
        priceSource: undefined,
        chain,
        token: tokenFacts(charge),
        ...(gasUsed !== undefined && { gasUsed }),
      };
      const facts = await gatherFacts(
        context,
        request,
        { ...prepared, senderNonce: undefined, isSigned: false },
        { reads, current, webhooks: [] },
      );
      const reason = reasonOf(
        fees.check(ruleInput(facts, current.policy), []).map((step) => ({ rule: fees.type, ...step })),
      );
      if (reason !== undefined) throw notSponsored(reason);
      return quotePayment(payer.payment, payer.rate, op, terms.validUntil);
    }),
  );
  return { ...answer, feeQuotes };
};

/**
 * An account cannot be simulated without a signature. If the request has none, the quote uses the given gas limits, if
 * any.
 */
const quotable = (request: SponsorshipRequest): SponsorshipRequest => {
  const { userOperation, options } = request;
  const { signature, callGasLimit, verificationGasLimit, preVerificationGas } = userOperation;
  const canOnlyBeBelieved = signature === '0x' && callGasLimit && verificationGasLimit && preVerificationGas;
  return canOnlyBeBelieved ? { ...request, options: { ...options, calculateGasLimits: false } } : request;
};

/** The terms, including the gas for taking the token, if the account has tokens with which this can be measured. */
const withTriedTransfer = async (
  rpc: RpcClient | undefined,
  payment: ReadyPaymentTerms,
  account: Address,
): Promise<ReadyPaymentTerms> => {
  if (rpc === undefined) return payment;
  const { taken, transferGas } = await tryTransfer(rpc, payment, account);
  return taken ? payment.withTransferGas(transferGas) : payment;
};
