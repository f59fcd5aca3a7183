import { afterAll, beforeAll } from 'vitest';
import { systemClock, systemEntropy } from '../../src/engine/base/clock.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createLog } from '../../src/engine/base/log.ts';
import type { Reservation } from '../../src/core/ledger/account.ts';
import { limitAccount } from '../../src/core/rules/spending-limit/index.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { DecisionDraft } from '../../src/engine/store/decision-store.ts';
import { explainDenial } from '../../src/core/decision/rule-words.ts';
import { encodeExecute } from '../support/account-call-data.ts';
import { type ServingEngine, gameCall, gameItems, startEngine } from '../support/sponsored-world.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

/** Text that would take over the page if the page took it for markup. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const CHAIN_ID = 31337;
const ENTRY_POINT = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789';
const ITEMS = '0x4a7d1f5e9c3b28604f6d8a1e7b90c2d35f86e041';
const PAYMASTER = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const DAY_MS = 86_400_000;
const GWEI = 10n ** 9n;

/** A desk with DApps, rules, contracts, webhooks and a day of decisions. */
export interface SeededConsole {
  readonly engine: ServingEngine;
  /** Opens the console without being asked for the token. */
  readonly url: string;
  /** A denied decision that a webhook with a hostile answer made. */
  readonly hostileDecision: string;
  /** The newest decision that a contract rule denied. */
  readonly deniedDecision: string;
  /** How many decisions there are. */
  readonly decisions: number;
}

interface Seeded {
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

const draftOf = (dapp: Seeded, at: number, sender: string, rest: Partial<DecisionDraft>): DecisionDraft => ({
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
    ...{ name: 'Five a day', scope: 'SMART_ACCOUNT', unit: 'operations', threshold: '5', used: '1', amount: '1' },
    ...{ windowEndsAt: systemClock.now() + DAY_MS, now: systemClock.now() },
  }),
  step('gasTank', 'pass', 'TANK_COVERS', {
    ...{ balanceWei: '1000000000000000000', reservedWei: '4000000000000000', requiredWei: '1772000000000000' },
  }),
];

const sponsored = (dapp: Seeded, at: number, sender: string, cost: bigint): DecisionDraft =>
  draftOf(dapp, at, sender, {
    ...{ outcome: 'sponsored', code: 'SPONSORED', rule: null, message: 'Sponsored: no rule denies this operation.' },
    ...{ maxCostWei: String(cost * 2n), actualCostWei: String(cost), settlement: 'settled' },
    ...{ userOpHash: `0x${at.toString(16).padStart(64, '0')}`, paymasterAndData: `0x${'ab'.repeat(120)}` },
    ...{ validAfter: Math.floor(at / 1000) - 60, validUntil: Math.floor(at / 1000) + 300 },
    trace: [...money, step('contracts', 'pass', 'CALLS_WHITELISTED', { calls: 1 }), ...localSteps],
  });

const denied = (dapp: Seeded, at: number, sender: string): DecisionDraft => {
  const evidence = { target: ITEMS, contract: 'Items', method: 'burn(uint256)', call: 1, calls: 1 };
  return draftOf(dapp, at, sender, {
    ...{ outcome: 'denied', code: 'METHOD_NOT_WHITELISTED', ...explainDenial('METHOD_NOT_WHITELISTED', evidence) },
    request: request('burn', sender),
    trace: [...money, step('contracts', 'deny', 'METHOD_NOT_WHITELISTED', evidence), ...localSteps],
  });
};

const failed = (dapp: Seeded, at: number, sender: string): DecisionDraft =>
  draftOf(dapp, at, sender, {
    ...{ outcome: 'error', code: 'CHAIN_UNREACHABLE', rule: null, message: `${HOSTILE} cannot be reached` },
    maxCostWei: null,
  });

const refusedByWebhook = (dapp: Seeded, at: number, sender: string): DecisionDraft => {
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
    ...{ code: 'WEBHOOK_DENIED', rule: 'webhook', message: 'The webhook at hooks.example does not verify it.' },
    hint: 'Look at the answer of the webhook.',
    trace: [...money, step('contracts', 'pass', 'CALLS_WHITELISTED', { calls: 1 }), ...localSteps, deny],
  });
};

/** A day of decisions, denser towards its end: five in six sponsored, as on a desk that runs well. */
const dayOf = (items: Seeded, hostile: Seeded): DecisionDraft[] => {
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
const openOnes = (items: Seeded): DecisionDraft[] => {
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

const fill = async ({ service }: ServingEngine): Promise<{ items: Seeded; hostile: Seeded; limitId: string }> => {
  const [account] = await service.call('accounts.list', {});
  const definition = { accountId: account?.accountId, type: 'HYBRID', chainId: CHAIN_ID, version: '1.1.0' };
  const items = await service.call('paymasters.create', { ...definition, name: 'Game Items' });
  const hostile = await service.call('paymasters.create', { ...definition, name: HOSTILE });
  await service.call('authTokens.create', { label: 'backend' });
  await service.call('signers.create', { chainId: CHAIN_ID });
  await service.call('paymasterContracts.use', { chainId: CHAIN_ID, version: '1.1.0', address: PAYMASTER });
  const { paymasterId } = items;
  const abi = gameItems.formatJson();
  await service.call('contracts.create', {
    paymasterId,
    name: 'Items',
    address: ITEMS,
    abi,
    whitelistedMethods: ['mint'],
  });
  const other = { paymasterId, name: HOSTILE, address: PAYMASTER, abi };
  const { address } = await service.call('contracts.create', other);
  await service.call('contracts.update', { paymasterId, address, whitelistedMethods: [] });
  const day = { value: 1, unit: 'day' };
  const perUser = { type: 'SMART_ACCOUNT', cycleDuration: day, threshold: 5, thresholdType: 'COUNT' };
  const perDay = { type: 'PAYMASTER', cycleDuration: day, threshold: 0.5, thresholdType: 'NATIVE_ASSET' };
  const rules = [
    { name: 'Five a day', policyType: 'PAYMASTER_SA_LIMIT', policyData: perUser },
    { name: 'Half a coin a day', policyType: 'PAYMASTER_SA_LIMIT', policyData: perDay },
    { name: 'New accounts', policyType: 'WALLET_DEPLOYMENT', policyData: {} },
    { name: HOSTILE, policyType: 'WEBHOOK', policyData: { url: 'https://hooks.example/rule', failOpen: true } },
  ];
  const made = [];
  for (const rule of rules) made.push(await service.call('rules.create', { paymasterId, rule }));
  await service.call('rules.deactivate', { paymasterId, ruleId: made[1]?._id });
  const token = { chainId: CHAIN_ID, decimals: 6, premium: '13' };
  await service.call('feeTokens.set', {
    ...{ ...token, address: `0x${'70'.repeat(20)}`, symbol: 'USDC', preFund: true },
    rate: { source: 'static', tokensPerCoin: '3000.5' },
  });
  await service.call('feeTokens.set', {
    ...{ ...token, address: `0x${'71'.repeat(20)}`, symbol: HOSTILE, preFund: false },
    rate: { source: 'chainlink', nativeFeed: `0x${'72'.repeat(20)}`, tokenFeed: `0x${'73'.repeat(20)}` },
  });
  const webhook = { paymasterId, webhookUrl: 'https://hooks.example/verify', requestType: 'POST' };
  const { webhookId } = await service.call('webhooks.create', webhook);
  return { items: { ...items, webhookId }, hostile, limitId: made[0]?._id ?? '' };
};

/** Gives the tests of the file that calls it such a desk. The result is for inside tests. */
export const useSeededConsole = (): (() => SeededConsole) => {
  let dir: string | undefined;
  let seeded: SeededConsole | undefined;
  beforeAll(async () => {
    dir = makeTempFolder();
    const first = await startEngine({ dir });
    const { items, hostile, limitId } = await fill(first);
    await first.stop();
    const log = createLog({ level: 'silent' });
    const store = openSqliteStore(openDataFolder(dir).database, { clock: systemClock, log });
    const drafts = dayOf(items, hostile);
    await Promise.all(drafts.map((draft) => store.appendDecision(draft)));
    for (const draft of openOnes(items)) {
      const reservations: Reservation[] = [
        { account: limitAccount({ ruleId: limitId, cycle: 0 }, 0, draft.sender), kind: 'count', amount: 1n },
        {
          account: { kind: 'tank', id: `${CHAIN_ID}:${PAYMASTER}:0x` },
          kind: 'tank',
          amount: BigInt(draft.maxCostWei ?? '0'),
        },
      ];
      await store.decideAndReserve({ reservations, ledgerVersion: 0 }, () => ({ decision: draft, reserve: true }));
    }
    await store.close();
    const engine = await startEngine({ dir, flags: { logLevel: 'info' } });
    // What is refused stands in the log.
    await fetch(`${engine.url}/nowhere`);
    seeded = {
      engine,
      url: `${engine.url}/console/#token=${engine.operatorToken.reveal()}`,
      hostileDecision: drafts.find(({ rule }) => rule === 'webhook')?.id ?? '',
      deniedDecision: drafts.findLast(({ code }) => code === 'METHOD_NOT_WHITELISTED')?.id ?? '',
      decisions: drafts.length + openOnes(items).length,
    };
  });
  afterAll(async () => {
    await seeded?.engine.stop();
    if (dir !== undefined) removeTempFolder(dir);
  });
  return () => {
    if (seeded === undefined) throw new Error('The desk is there only while tests run');
    return seeded;
  };
};
