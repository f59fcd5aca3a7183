import type { Address } from '../../shared/schema/hex.ts';
import type { Rates } from '../chain/rates/rates.ts';
import { ensureAgreement } from '../paymaster/agreement.ts';
import { requireReady } from '../paymaster/readiness.ts';
import { askedTokens } from '../token-mode/fee-token-choice.ts';
import { type TokenQuotes, quoteTokens } from '../token-mode/quote-tokens.ts';
import { requireTokenContract } from '../token-mode/token-contract.ts';
import { readDelegate, readNonce } from './chain-reads.ts';
import { type DecisionContext, sponsor, termsAt } from './decide.ts';
import type { SponsorshipRequest } from './decision-draft.ts';
import { withGas } from './operation-gas.ts';

/** Quotes, and the contract that the user has to approve. */
export interface FeeQuotes extends TokenQuotes {
  readonly paymasterAddress: Address;
}

/**
 * What an operation would cost at most in the tokens asked for. Nothing is decided, signed away or stored.
 *
 * @throws EngineError `PAYMASTER_NOT_READY` for a version without token mode too; else as deciding and rates do
 */
export const quoteFees = async (
  context: DecisionContext,
  rates: Rates,
  request: SponsorshipRequest,
): Promise<FeeQuotes> => {
  const { store, vault, chains, clock } = context;
  const { paymaster, userOperation, options } = request;
  const ready = await requireReady(store, vault, paymaster);
  const contract = await requireTokenContract(store, { ...ready, version: paymaster.version });
  const rpc = await chains.rpc(paymaster.chainId);
  await ensureAgreement(store, rpc, ready);
  const chainTerms = {
    senderNonce: await readNonce(rpc, ready, userOperation.sender),
    delegate: await readDelegate(rpc, ready, userOperation),
  };
  const terms = termsAt(clock.now(), options.expiryDuration, ready, chainTerms);
  const { op } = await withGas({ request, ready, chains, rpc, sponsor: (draft) => sponsor(ready, draft, terms) });
  const quotes = await quoteTokens(rates, {
    contract,
    // Taking tokens needs more gas than sponsoring does.
    op: { ...op, ...ready.layout.token?.paymasterGas },
    supported: await store.listFeeTokens(paymaster.chainId),
    asked: askedTokens(options.tokenInfo),
    validUntil: terms.validUntil,
  });
  return { paymasterAddress: contract.address, ...quotes };
};
