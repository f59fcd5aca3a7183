import { systemClock, systemEntropy } from '../../src/engine/base/clock.ts';
import { explainDenial } from '../../src/core/decision/rule-words.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { gameCall } from '../support/operations.ts';

/** Text that would take over the page if the page took it for markup. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** The chain of the seeded decisions. */
export const CHAIN_ID = 31337;
const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
/** The contract that they call. */
export const ITEMS = '0x4a7d1f5e9c3b28604f6d8a1e7b90c2d35f86e041';
const DAY_MS = 86_400_000;
const GWEI = 10n ** 9n;

/** A DApp that decisions are made for. */
export interface SeededDapp {
  readonly paymasterId: string;
  readonly name: string;
  readonly webhookId?: string;
}

const step = (rule: string, outcome: 'pass' | 'deny' | 'skip', code: string, evidence: Record<string, unknown>) => ({
  rule,
  outcome,
  code,
  evidence,
  micros: 41,
});

const request = (method: 'mint' | 'burn', sender: string) => {
  const userOperation = { sender, nonce: '0x4', callData: encodeExecute(ITEMS, 0n, gameCall(method, 3n)) };
  const calls = [{ target: ITEMS, contract: 'Items', method: `${method}(uint256)` }];
  return { received: [userOperation, { mode: 'SPONSORED' }], userOperation, calls };
};

const draftOf = (dapp: SeededDapp, at: number, sender: string, rest: Partial<DecisionDraft>): DecisionDraft => ({
  id: `seeded-${systemEntropy.uuid()}`,
  at,
  method: 'pm_sponsorUserOperation',
  mode: 'SPONSORED',
  chainId: CHAIN_ID,
  entryPoint: ENTRY_POINT,
  paymasterId: dapp.paymasterId,
  dapp: dapp.name,
  sender,
  nonce: '4',
  userOpHash: null,
  outcome: 'denied',
  code: 'DENIED',
  rule: 'contracts',
  message: '',
  hint: '',
  paymasterAndData: '0x',
  validAfter: null,
  validUntil: null,
  maxCostWei: '1260000000000000',
  actualCostWei: null,
  settlement: null,
  request: request('mint', sender),
  trace: [],
  ...rest,
});

const money = [
  step('gas', 'pass', 'GAS_GIVEN', {
    callGasLimit: '200000',
    verificationGasLimit: '500000',
    maxFeePerGasWei: '1000000000',
  }),
];
const localSteps = [
  step('walletDeployment', 'skip', 'NO_DEPLOYMENT', {}),
  step('fees', 'pass', 'FEE_COVERS_BASE', { maxFeePerGasWei: '1000000000', baseFeeWei: '640713299' }),
  step('spendingLimit', 'pass', 'LIMIT_HAS_ROOM', {
    name: 'Five a day',
    scope: 'SMART_ACCOUNT',
    unit: 'operations',
    threshold: '5',
    used: '1',
    amount: '1',
    windowEndsAt: systemClock.now() + DAY_MS,
    now: systemClock.now(),
  }),
  step('gasTank', 'pass', 'TANK_COVERS', {
    balanceWei: '1000000000000000000',
    reservedWei: '4000000000000000',
    requiredWei: '1772000000000000',
  }),
];

const sponsored = (dapp: SeededDapp, at: number, sender: string, cost: bigint): DecisionDraft =>
  draftOf(dapp, at, sender, {
    outcome: 'sponsored',
    code: 'SPONSORED',
    rule: null,
    message: 'Sponsored: no rule denies this operation.',
    maxCostWei: String(cost * 2n),
    actualCostWei: String(cost),
    settlement: 'settled',
    userOpHash: `0x${at.toString(16).padStart(64, '0')}`,
    paymasterAndData: `0x${'ab'.repeat(120)}`,
    validAfter: Math.floor(at / 1000) - 60,
    validUntil: Math.floor(at / 1000) + 300,
    trace: [...money, step('contracts', 'pass', 'CALLS_WHITELISTED', { calls: 1 }), ...localSteps],
  });

const denied = (dapp: SeededDapp, at: number, sender: string): DecisionDraft => {
  const evidence = { target: ITEMS, contract: 'Items', method: 'burn(uint256)', call: 1, calls: 1 };
  return draftOf(dapp, at, sender, {
    outcome: 'denied',
    code: 'METHOD_NOT_WHITELISTED',
    ...explainDenial('METHOD_NOT_WHITELISTED', evidence),
    request: request('burn', sender),
    trace: [...money, step('contracts', 'deny', 'METHOD_NOT_WHITELISTED', evidence), ...localSteps],
  });
};

const failed = (dapp: SeededDapp, at: number, sender: string): DecisionDraft =>
  draftOf(dapp, at, sender, {
    outcome: 'error',
    code: 'CHAIN_UNREACHABLE',
    rule: null,
    message: `${HOSTILE} cannot be reached`,
    maxCostWei: null,
  });

const refusedByWebhook = (dapp: SeededDapp, at: number, sender: string): DecisionDraft => {
  const exchange = {
    webhookId: dapp.webhookId ?? '',
    url: 'https://hooks.example/verify',
    method: 'POST' as const,
    request: { headers: { 'webhook-id': 'x', 'content-type': 'application/json' }, body: '{"data":{"user":"ann"}}' },
    status: 200,
    response: `{"arePoliciesVerified":false,"note":"${HOSTILE}"}`,
  };
  const deny = {
    ...step('webhook', 'deny', 'WEBHOOK_DENIED', { host: 'hooks.example' }),
    micros: 84_000,
    call: exchange,
  };
  return draftOf(dapp, at, sender, {
    code: 'WEBHOOK_DENIED',
    rule: 'webhook',
    message: 'The webhook at hooks.example does not verify it.',
    hint: 'Look at the answer of the webhook.',
    trace: [...money, step('contracts', 'pass', 'CALLS_WHITELISTED', { calls: 1 }), ...localSteps, deny],
  });
};

/** A day of decisions, denser towards its end: five in six sponsored, as on a desk that runs well. */
export const dayOf = (items: SeededDapp, hostile: SeededDapp): DecisionDraft[] => {
  const now = systemClock.now();
  const minutes = Array.from({ length: 400 }, (_, index) => (1440 * (400 - index) ** 2) / 400 ** 2);
  return minutes.map((ago, index) => {
    const at = Math.floor(now - 60_000 - ago * 59_000);
    const sender = `0x${((index % 41) + 16).toString(16).repeat(20)}`;
    if (index === 390) return refusedByWebhook(items, at, sender);
    if (index % 53 === 7) return failed(hostile, at, sender);
    if (index % 6 === 1) return denied(items, at, sender);
    return sponsored(index % 5 === 0 ? hostile : items, at, sender, BigInt(150_000 + ((index * 7919) % 90_000)) * GWEI);
  });
};

/** Signed a moment ago and not mined yet: by three users, one of whom has none left. */
export const openOnes = (items: SeededDapp): DecisionDraft[] => {
  const now = systemClock.now();
  return [5, 3, 1].flatMap((count, index) =>
    Array.from({ length: count }, (): DecisionDraft => {
      const settled = sponsored(items, now, `0x${(index + 160).toString(16).repeat(20)}`, 200_000n * GWEI);
      const validUntil = Math.floor(now / 1000) + 3_600;
      return {
        ...settled,
        actualCostWei: null,
        settlement: 'reserved',
        userOpHash: `0x${systemEntropy.uuid().replaceAll('-', '').repeat(2)}`,
        validUntil,
      };
    }),
  );
};
