import type { SpendingLimit } from '../../src/core/rules/spending-limit/index.ts';
import type { OperatorTransaction } from '../../src/engine/store/operator-transaction-store.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import type { Rule, SmartContract, Webhook } from '../../src/engine/store/policy-store.ts';
import type { Dapp } from '../../src/engine/store/registry-store.ts';

export const account = { accountId: 'account-1', name: 'Operator', createdAt: 1_000 };

/** A DApp without a funding wallet. Tests override the fields that they need, here and below. */
export const paymaster = (fields: Partial<Dapp> = {}): Dapp => ({
  paymasterId: 'dapp-1',
  accountId: account.accountId,
  name: 'Game',
  chainId: 31337,
  apiKey: `key of ${fields.paymasterId ?? 'dapp-1'}`,
  version: '1.1.0',
  fundingWallet: null,
  allowedOrigins: ['*'],
  maxExpirySeconds: 3_600,
  tokenMode: true,
  createdAt: 2_000,
  ...fields,
});

/** A registered contract of which one method is whitelisted. */
export const smartContract = (fields: Partial<SmartContract> = {}): SmartContract => ({
  ruleId: 'contract-rule-1',
  paymasterId: 'dapp-1',
  name: 'Items',
  address: '0xAbCdEf0000000000000000000000000000000001',
  abi: '[{"type":"function","name":"mint","inputs":[],"stateMutability":"nonpayable"}]',
  methods: ['mint', 'burn'],
  whitelistedMethods: ['mint'],
  active: true,
  ...fields,
});

export const limitRule = (
  fields: { ruleId?: string; paymasterId?: string; name?: string } = {},
): Rule & { policyData: SpendingLimit } => ({
  ruleId: 'limit-1',
  paymasterId: 'dapp-1',
  name: 'Five a day',
  active: true,
  cycle: 0,
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: {
    type: 'SMART_ACCOUNT',
    cycleDuration: { value: 1, unit: 'day' },
    threshold: '0.000000000000000005',
    thresholdType: 'NATIVE_ASSET',
    startTimeInEpoch: 5_000,
    durationInMs: 86_400_000,
  },
  ...fields,
});

export const webhook = (fields: Partial<Webhook> = {}): Webhook => ({
  webhookId: 'webhook-1',
  paymasterId: 'dapp-1',
  webhookUrl: 'https://example.com/verify',
  requestType: 'POST',
  active: true,
  ...fields,
});

/** A sponsored decision, with numbers that no float can hold. */
export const decision = (fields: Partial<DecisionDraft> = {}): DecisionDraft => ({
  id: 'decision-1',
  at: 10_000,
  method: 'pm_sponsorUserOperation',
  mode: 'SPONSORED',
  chainId: 31337,
  entryPoint: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  paymasterId: 'dapp-1',
  dapp: 'Game',
  sender: '0x00000000000000000000000000000000000000aa',
  nonce: (2n ** 256n - 1n).toString(),
  userOpHash: `0x${'ab'.repeat(32)}`,
  outcome: 'sponsored',
  code: 'SPONSORED',
  rule: null,
  message: 'Sponsored',
  hint: '',
  paymasterAndData: '0x1234',
  validAfter: 10,
  validUntil: 20,
  maxCostWei: (2n ** 70n).toString(),
  actualCostWei: null,
  settlement: 'reserved',
  request: { received: { nested: ['as', 'it', 'came'] } },
  trace: [{ rule: 'gas-tank', outcome: 'pass', code: 'TANK_HAS_ENOUGH', evidence: { requiredWei: '7' }, micros: 12 }],
  ...fields,
});

export const withdrawal = (transactionId = 'withdrawal-1'): OperatorTransaction => ({
  transactionId,
  kind: 'withdraw',
  chainId: 31337,
  paymasterId: 'dapp-1',
  version: '1.1.0',
  from: '0x00000000000000000000000000000000000000bb',
  to: '0x00000000000000000000000000000000000000cc',
  valueWei: '0',
  data: '0x',
  nonce: 0,
  summary: '',
  signer: null,
  hash: `0x${'cd'.repeat(32)}`,
  raw: null,
  state: 'sent',
  sentAt: 10_000,
  blockNumber: null,
  gasUsed: null,
  feeWei: null,
  contract: null,
  outcome: null,
  final: false,
});
