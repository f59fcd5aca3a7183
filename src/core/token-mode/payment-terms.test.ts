import { describe, expect, test } from 'vitest';
import type { FeeToken } from '../../shared/schema/fee-token.ts';
import { singleton06 } from '../paymaster-layouts/singleton-0.6.ts';
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

describe('the verification limit of v0.6, which postOp gets, too', () => {
  const paymaster = { layout: singleton06.token, treasury: `0x${'11'.repeat(20)}` } as const;
  const untried = paymentTerms(paymaster, { premium: '0', preFund: false } as FeeToken, 1n);
  const tried = untried.withTransferGas({ prefund: 0n, afterwards: 20_000n });
  const raised = ({ withTransfers }: typeof tried, verificationGasLimit: bigint): bigint =>
    withTransfers({ callGasLimit: 1n, verificationGasLimit, preVerificationGas: 1n }).verificationGasLimit;

  test('stays as the bundler estimates it, if postOp has enough: so clients that drop the limits of the answer have it', () => {
    expect(raised(tried, 110_721n)).toBe(110_721n);
  });

  test('is raised if it is hardly enough for the tokens', () => {
    expect(raised(tried, tried.leastPostOpGas)).toBeGreaterThanOrEqual(tried.leastPostOpGas + 20_000n);
  });

  test('is raised while no one knows what the token needs', () => {
    expect(raised(untried, 110_721n)).toBeGreaterThan(110_721n);
  });
});
