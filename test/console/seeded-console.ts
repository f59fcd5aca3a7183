import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/engine/base/clock.ts';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { createLog } from '../../src/engine/base/log.ts';
import type { Reservation } from '../../src/core/ledger/account.ts';
import { rulesOf } from '../../src/core/rules/rule.ts';
import { limitAccount, limitSetup } from '../../src/core/rules/spending-limit/index.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { gameItems } from '../support/operations.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { CHAIN_ID, HOSTILE, ITEMS, type SeededDapp, dayOf, openOnes } from './seeded-decisions.ts';
import { makeTempFolder, removeTempFolder } from '../support/temp-folder.ts';

const PAYMASTER = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';

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

const fill = async ({
  service,
}: ServingEngine): Promise<{ items: SeededDapp; hostile: SeededDapp; limitId: string }> => {
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
    ...token,
    address: `0x${'70'.repeat(20)}`,
    symbol: 'USDC',
    preFund: true,
    rate: { source: 'static', tokensPerCoin: '3000.5' },
  });
  await service.call('feeTokens.set', {
    ...token,
    address: `0x${'71'.repeat(20)}`,
    symbol: HOSTILE,
    preFund: false,
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
    const { rules } = await store.dappPolicy(items.paymasterId);
    const limit = rulesOf(limitSetup, rules).find(({ ruleId }) => ruleId === limitId);
    if (limit === undefined) throw new Error('The limit does not exist');
    for (const draft of openOnes(items)) {
      const reservations: Reservation[] = [
        { account: limitAccount(limit, items.paymasterId, 0, draft.sender), kind: 'count', amount: 1n },
        {
          account: { kind: 'tank', id: `${CHAIN_ID}:${PAYMASTER}:0x` },
          kind: 'tank',
          amount: BigInt(draft.maxCostWei ?? '0'),
        },
      ];
      await store.decideAndReserve({ reservations, ledgerVersion: 0 }, () => ({
        decision: () => draft,
        reserve: true,
      }));
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
