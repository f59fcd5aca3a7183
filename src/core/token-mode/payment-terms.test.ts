import { expect, test } from 'vitest';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { singleton07 } from '../paymaster-layouts/singleton-0.7.ts';
import { paymentTerms } from './payment-terms.ts';

const gas = { callGasLimit: 1n, verificationGasLimit: 1n, preVerificationGas: 1n, paymasterVerificationGasLimit: 1n };

test.each([false, true])('a postOp limit that a bundler found too low is raised, taken up front: %s', (preFund) => {
  const paymaster = { layout: singleton07.token, treasury: `0x${'11'.repeat(20)}` } as const;
  const token = { premium: '0', preFund } as FeeToken;
  const { withTransfers } = paymentTerms(paymaster, token, 1n);
  const least = singleton07.token.paymasterGas!.paymasterPostOpGasLimit;
  expect(withTransfers({ ...gas, paymasterPostOpGasLimit: 0n }).paymasterPostOpGasLimit).toBe(least);
  expect(withTransfers({ ...gas, paymasterPostOpGasLimit: 2n * least }).paymasterPostOpGasLimit).toBeGreaterThanOrEqual(
    2n * least,
  );
});
