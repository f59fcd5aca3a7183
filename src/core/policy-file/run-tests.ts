import { assumedSchedule } from '../gas-schedules/schedules.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { decideVerified } from '../decision/decide-verified.ts';
import { planOperation } from '../decision/decide.ts';
import { entryPoints } from '../entry-points/registry.ts';
import type { Facts, VerifiedSubject } from '../facts/facts.ts';
import { requireLayout } from '../paymaster-layouts/registry.ts';
import type { Policy } from '../policy/policy.ts';
import { type Identity, identityQuestions } from '../rules/identity/index.ts';
import { holdingKey, holdingQuestions } from '../rules/token-holding.ts';
import { draftPolicy } from './draft-policy.ts';
import type { FileTest, PolicyFile } from './format.ts';
import { testOperation } from './test-operation.ts';

export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  /** `sponsored`, or `denied: ` followed by the code. */
  readonly actual: string;
  /** Why the operation was denied; empty if it was sponsored. */
  readonly message: string;
}

const GWEI = 10n ** 9n;
const stand = (digits: string): Address => `0x${digits.repeat(20)}`;

/** An empty DApp, for tests that run without a data folder. */
const NO_DAPP: Policy = {
  v: 1,
  dapp: {
    paymasterId: '',
    name: 'Test',
    chainId: 1,
    version: '1.1.0',
    fundingWallet: null,
    allowedOrigins: [],
    maxExpirySeconds: 3600,
    tokenMode: false,
  },
  contracts: [],
  rules: [],
  webhooks: [],
  lowBalanceThresholdWei: null,
  chain: null,
  paymasterContracts: [],
  signer: null,
  treasury: null,
  pause: null,
  resumes: { desk: 0, dapp: 0 },
  outstandingSharePercent: 100,
};

/**
 * The part of the policy that a file controls. A pause or a limit of the chain must not cause failures in a file's
 * tests.
 */
const fileAlone = (policy: Policy): Policy => ({
  ...policy,
  pause: null,
  chain: policy.chain && { ...policy.chain, breaker: null, unreachableBudgetWei: null, maxOperationCostWei: null },
});

/** The sender's balance of each token: the maximum amount. */
const PLENTY = { held: String((1n << 256n) - 1n) };

const MISSING: VerifiedSubject = { failure: 'MISSING' };

/** A person whom every IDENTITY rule has verified. */
const person = (source: Identity['source'], at: number): VerifiedSubject => ({
  source,
  id: 'a1'.repeat(32),
  expiresAt: Math.ceil(at / 1000) + 1,
});

/**
 * A chain with a base fee of 1 gwei, a full tank, and an account that already exists, unless the operation creates it.
 */
const factsOf = (
  { operation }: FileTest,
  file: PolicyFile,
  { dapp, signer, paymasterContracts, rules, chain }: Policy,
  at: number,
): Facts => {
  const { entryPointVersion } = requireLayout(dapp.version);
  const attached = paymasterContracts.find(({ version }) => version === dapp.version);
  const op = testOperation(operation, file.contracts, entryPoints[entryPointVersion]);
  return {
    v: 1,
    at,
    stage: 'final',
    gasSource: 'GAS_GIVEN',
    expiryDuration: 300,
    senderNonce: '0',
    gasSchedule: assumedSchedule.name,
    hasNode: true,
    contract: {
      version: dapp.version,
      address: attached?.address ?? stand('cc'),
      signer: signer ?? stand('51'),
      fundingWallet: dapp.fundingWallet ?? stand('fe'),
    },
    op,
    gasUsed: { validation: '0', call: String(BigInt(String(op['callGasLimit']))) },
    chain: {
      balanceWei: String(10n ** 30n),
      pendingWithdrawalsWei: '0',
      l1DataGas: '0',
      blockGasLimit: '30000000',
      baseFeeWei: String(GWEI),
      suggestedTipWei: String(GWEI),
    },
    account: { hasCode: !operation.deploys, nextNonce: '0' },
    // The price is always known, so that a limit in dollars denies only because of amounts.
    price: { usd: chain?.price?.source === 'static' ? chain.price.usd : '1', source: 'static' },
    holdings: Object.fromEntries(holdingQuestions(rules).map((question) => [holdingKey(question), PLENTY])),
    subjects: Object.fromEntries(
      [...identityQuestions(rules)].map(([key, { source }]) => [
        key,
        operation.identified ? person(source, at) : MISSING,
      ]),
    ),
    shared: { bySenders: false, byDapps: false, chain: false },
    ...(operation.context !== undefined && { context: operation.context }),
    webhooks: [],
  };
};

/**
 * Decides the operations in a file's tests by the file's policy, on a chain and with a tank that never cause a denial.
 * Webhooks approve every operation, senders hold every token and, unless the test says otherwise, are verified, a coin is worth one US dollar unless the chain has a
 * static price, and the ledger is empty.
 * @param at epoch ms
 * @param dapp determines version and chain of the operations; default: version 1.1.0 on Ethereum
 */
export const runPolicyTests = (file: PolicyFile, at: number, dapp: Policy = NO_DAPP): TestResult[] => {
  const policy = fileAlone(draftPolicy(file, dapp, { now: at, newId: (name) => `new:${name}` }));
  return file.tests.map((one) => {
    const facts = factsOf(one, file, policy, at);
    const planned = planOperation(facts, policy);
    const { reason } = decideVerified(
      planned,
      policy,
      planned.reservations.map(() => 0n),
    );
    const actual = reason === undefined ? 'sponsored' : `denied: ${reason.code}`;
    const expected = one.expect === 'sponsored' ? one.expect : `denied: ${one.expect.denied}`;
    return { name: one.name, passed: actual === expected, expected, actual, message: reason?.message ?? '' };
  });
};
