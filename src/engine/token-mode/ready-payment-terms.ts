import type { PaymentTerms } from '../../core/token-mode/payment-terms.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { ReadyTokenPaymaster } from '../paymaster/readiness.ts';

/** Payment in a fee token of the chain, to a contract with an available key. */
export type ReadyPaymentTerms = PaymentTerms<ReadyTokenPaymaster, FeeToken>;
