import type { PaymentTerms } from '../../core/token-mode/payment-terms.ts';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import type { ReadyTokenPaymaster } from '../paymaster/readiness.ts';

/** Terms for paying in one of the chain's fee tokens, through a contract whose key is available. */
export type ReadyPaymentTerms = PaymentTerms<ReadyTokenPaymaster, FeeToken>;
