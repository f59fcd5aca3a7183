import { BiconomyPaymaster } from '@biconomy/paymaster';
import { getPaymasterAndData } from './biconomy.mjs';

const paymasterAt = (paymasterUrl) => new BiconomyPaymaster({ paymasterUrl });
const LIMITS = { callGasLimit: 200_000n, verificationGasLimit: 600_000n, preVerificationGas: 100_000n };

export default {
  BiconomyPaymaster: getPaymasterAndData(paymasterAt),
  'BiconomyPaymaster with gas limits': getPaymasterAndData(paymasterAt, LIMITS),
};
