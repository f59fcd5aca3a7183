import { SigningKey, computeAddress } from 'ethers';
import type { Facts } from '../../src/core/facts/facts.ts';
import { decodeCalls } from '../../src/core/calls/decode-calls.ts';
import { biconomy110 } from '../../src/core/paymaster-layouts/biconomy-1.1.0.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { RuleInput } from '../../src/core/rules/rule.ts';
import { toRpcUserOperation } from '../../src/core/user-operation/rpc-user-operation.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06, UserOperationV07 } from '../../src/shared/schema/user-operation.ts';

const address = (digits: string): Address => `0x${digits.repeat(20)}`;
const CONTRACT = address('cc');
export const SIGNER_KEY = new SigningKey(`0x${'51'.repeat(32)}`);
const SIGNER = computeAddress(SIGNER_KEY) as Address;
const WALLET = address('fe');
export const SENDER = address('a1');

/** In wei. */
export const GWEI = 10n ** 9n;

/** An operation of v0.6 that costs at most 300,000 gas and the overhead of its paymaster contract at 1 gwei. */
export const operationWith = (changes: Partial<UserOperationV06> = {}): UserOperationV06 => ({
  sender: SENDER,
  nonce: 0n,
  initCode: '0x',
  callData: '0x',
  callGasLimit: 100_000n,
  verificationGasLimit: 50_000n,
  preVerificationGas: 50_000n,
  maxFeePerGas: GWEI,
  maxPriorityFeePerGas: 0n,
  paymasterAndData: '0x',
  signature: '0x',
  ...changes,
});

/** The same for EntryPoint v0.7 and v0.8, in the form of JSON-RPC. */
export const rpcOperationV07With = (changes: Partial<UserOperationV07> = {}): Facts['op'] => {
  const { initCode: _v06, paymasterAndData: _too, ...op } = operationWith();
  const limits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n };
  return toRpcUserOperation({ ...op, ...limits, ...changes });
};

/** A DApp of version 1.1.0 on a local chain, without any rule. */
export const policyWith = (changes: Partial<Policy> = {}): Policy => ({
  v: 1,
  dapp: {
    paymasterId: 'dapp-1',
    name: 'Game',
    chainId: 31_337,
    version: '1.1.0',
    fundingWallet: WALLET,
    allowedOrigins: [],
    maxExpirySeconds: 3600,
    tokenMode: true,
  },
  contracts: [],
  rules: [],
  webhooks: [],
  lowBalanceThresholdWei: null,
  chain: { name: null, symbol: null, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null },
  paymasterContracts: [{ version: '1.1.0', address: CONTRACT }],
  signer: SIGNER,
  treasury: null,
  pause: null,
  resumes: { desk: 0, dapp: 0 },
  outstandingSharePercent: 25,
  ...changes,
});

/**
 * Facts of an operation that nothing denies: its account exists, the tank holds 1 of the coin, the base fee is 1 gwei.
 */
export const factsWith = (
  changes: Partial<Omit<Facts, 'op'>> & { readonly op?: Partial<UserOperationV06> } = {},
): Facts => ({
  v: 1,
  at: Date.UTC(2026, 10, 22, 12),
  stage: 'final',
  contract: { version: '1.1.0', address: CONTRACT, signer: SIGNER, fundingWallet: WALLET },
  gasSource: 'GAS_GIVEN',
  expiryDuration: 300,
  senderNonce: '0',
  gasSchedule: 'prague',
  hasNode: true,
  chain: {
    balanceWei: String(10n ** 18n),
    pendingWithdrawalsWei: '0',
    baseFeeWei: String(GWEI),
    suggestedTipWei: '0',
    l1DataGas: '0',
    blockGasLimit: '30000000',
  },
  account: { hasCode: true, nextNonce: '0' },
  shared: { bySenders: false, byDapps: false, chain: false },
  webhooks: [],
  ...changes,
  op: toRpcUserOperation(operationWith(changes.op)),
});

/** Input of the rules for an operation of that cost. */
export const ruleInputWith = (policy: Policy, facts: Facts, sender: Address, requiredWei: bigint): RuleInput => ({
  policy,
  facts,
  idle: [],
  values: () => ({}),
  evaluate: () => ({ failure: 'no condition is asked here' }),
  requiredWei,
  layout: biconomy110,
  payment: undefined,
  subject: undefined,
  isSubjectUnread: false,
  symbol: 'ETH',
  op: operationWith({ sender }),
  decoding: decodeCalls('0x', { sender, entryPointVersion: '0.6' }),
  deployment: undefined,
});
