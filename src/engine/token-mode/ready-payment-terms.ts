import type { PaymentTerms } from '../../core/token-mode/payment-terms.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { ReadyTokenPaymaster } from '../paymaster/readiness.ts';

/** How a user pays in a fee token of the chain, to a contract whose key is at hand. */
export type ReadyPaymentTerms = PaymentTerms<ReadyTokenPaymaster, FeeToken>;
