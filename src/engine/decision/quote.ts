import type { FeeQuote } from '../../shared/schema/fee-token.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { UserOperation } from '../../shared/schema/user-operation.ts';
import type { RpcClient } from '../chain/rpc.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import { requireTokenReady } from '../paymaster/readiness.ts';
import { askedTokens } from '../token-mode/fee-token-choice.ts';
import { priceTokens, quoteSale } from '../token-mode/quote-tokens.ts';
import { type TokenSale, tokenSale } from '../token-mode/token-sale.ts';
import { tryTransfer } from '../token-mode/try-payment.ts';
import { checkAuthorization } from './authorization.ts';
import { readDelegate } from './chain-reads.ts';
import type { DecisionContext } from './decision-context.ts';
import type { SponsorshipRequest } from './decision-draft.ts';
import { withGas } from './operation-gas.ts';
import { sponsor, termsAt } from './sponsor.ts';
import { requireUnpaused } from './pause-switch.ts';
import { withGasForTaking } from './token-taking.ts';

/** Quotes in the order in which they were asked for, and the contract that the user has to approve. */
export interface FeeQuotes {
  readonly paymasterAddress: Address;
  readonly feeQuotes: FeeQuote[];
  /** Asked for, and not supported. */
  readonly unsupportedTokens: Address[];
}

/**
 * What an operation would cost at most in the tokens asked for. Nothing is decided or stored, and nothing that was
 * signed is given away.
 *
 * @throws EngineError `PAYMASTER_NOT_READY` for a version without token mode too; else as deciding and rates do;
 *   `NOT_SPONSORED` while all sponsorship is paused
 */
export const quoteFees = async (context: DecisionContext, request: SponsorshipRequest): Promise<FeeQuotes> => {
  const { store, vault, chains, clock, rates } = context;
  requireUnpaused(context);
  const { paymaster, userOperation, options } = request;
  const contract = await requireTokenReady(store, vault, paymaster);
  const rpc = await chains.rpc(paymaster.chainId);
  await ensureAgreement(store, rpc, contract);
  const supported = await store.listFeeTokens(paymaster.chainId);
  const { priced, unsupportedTokens } = await priceTokens(rates, supported, askedTokens(options.tokenInfo));
  const { sender } = userOperation;
  const sales = await Promise.all(
    priced.map(async ({ token, rate }) => ({
      sale: await saleByTransfer(rpc, tokenSale(contract, token, rate), sender),
      rate,
    })),
  );
  const answer = { paymasterAddress: contract.contract, unsupportedTokens };

  // Which token is paid with makes no difference to the gas that is estimated.
  const sale = sales[0]?.sale;
  if (sale === undefined) return { ...answer, feeQuotes: [] };
  const { ready, estimating } = sale;
  await checkAuthorization(rpc, ready, userOperation, 'draft');
  const delegate = await readDelegate(rpc, ready, userOperation);
  const terms = termsAt(clock.now(), options.expiryDuration, ready, { senderNonce: undefined, delegate });
  const draftSponsor = (draft: UserOperation): Hex => sponsor(estimating, draft, terms);
  const { op, code } = await withGas({ request, ready, chains, rpc, sponsor: draftSponsor });
  const feeQuotes = sales.map((sold) => {
    const taking = code === 'GAS_ESTIMATED' ? sold.sale.withTransfers(op) : op;
    return quoteSale(sold.sale, sold.rate, withGasForTaking(sold.sale, taking), terms.validUntil);
  });
  return { ...answer, feeQuotes };
};

/** The sale on what taking the token costs, if the account has any to find that out with. */
const saleByTransfer = async (rpc: RpcClient | undefined, sale: TokenSale, account: Address): Promise<TokenSale> => {
  if (rpc === undefined) return sale;
  const { taken, transferGas } = await tryTransfer(rpc, sale, account);
  return taken ? sale.withTransferGas(transferGas) : sale;
};
