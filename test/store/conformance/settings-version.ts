import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../../src/engine/store/store.ts';
import type { FeeToken } from '../../../src/shared/schema/fee-token.ts';
import type { Address } from '../../../src/shared/schema/hex.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { account, decision, limitRule, paymaster, smartContract, webhook } from '../../support/store-records.ts';
import { wholePolicy } from '../../support/whole-policies.ts';
import { useTempFolders } from '../../support/temp-folder.ts';
import type { OpenStore } from './open-store.ts';

/** What every {@link Store} says of changed settings, and the {@link DecisionStore} makes of it. */
export const describeSettingsVersion = (open: OpenStore): void => {
  const tempFolder = useTempFolders();
  const address: Address = `0x${'ab'.repeat(20)}`;
  const [paymasterId, chainId] = ['dapp-1', 31337];
  const mine = { paymasterId, chainId };
  const others = { paymasterId: 'dapp-2', chainId: 10 };
  const chain = {
    chainId,
    name: null,
    symbol: null,
    rpc: null,
    bundler: null,
    treasury: null,
    breaker: null,
    unreachableBudgetWei: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    price: null,
    gasSchedule: null,
  };
  const token: FeeToken = {
    chainId,
    address,
    symbol: 'USDT',
    decimals: 6,
    premium: '0',
    preFund: false,
    logoUrl: null,
    rate: { source: 'static', tokensPerCoin: '3000' },
  };
  const message = { paymasterId, message: 'I own it', issuedAt: 1 };

  let store: Store;
  beforeEach(async () => {
    store = await open(tempFolder(), new ManualClock());
    await store.createAccount(account);
    await store.createDapp(paymaster());
    await store.createContract(smartContract({ address }));
    await store.createRule(limitRule());
    await store.createWebhook(webhook());
    await store.saveFundingMessage(message);
  });
  afterEach(() => store.close());

  const limit = { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: '5' } as const;
  const window = { startTimeInEpoch: 0, durationInMs: 1, cycleDuration: { value: 1, unit: 'hour' } } as const;

  test.each<[string, () => Promise<unknown>]>([
    ['a contract is registered', () => store.createContract(smartContract({ ruleId: 'c2', name: 'C2' }))],
    ["a contract's methods are set", () => store.updateContract(paymasterId, address, ['burn'])],
    ['a contract is deleted', () => store.deleteContract(paymasterId, address)],
    ['a rule is made', () => store.createRule(limitRule({ ruleId: 'limit-2', name: 'Two' }))],
    [
      'a limit is changed',
      () =>
        store.updateRule(paymasterId, 'limit-1', { name: 'Five', policyData: { ...limit, ...window }, restarts: true }),
    ],
    ['a rule is paused', () => store.setRuleActive(paymasterId, 'limit-1', false)],
    ['a webhook is registered', () => store.createWebhook(webhook({ webhookId: 'w2' }))],
    ['a webhook is paused', () => store.setWebhookActive(paymasterId, webhook().webhookId, false)],
    ['a webhook is deleted', () => store.deleteWebhook(paymasterId, webhook().webhookId)],
    ['it is said when the tank is low', () => store.setLowBalanceThreshold(paymasterId, 5n)],
    [
      'the funding wallet changes',
      () => store.useFundingMessage(message, { fundingWallet: address, signature: '0x', at: 2 }),
    ],
    ['origins are allowed', () => store.setAllowedOrigins(paymasterId, ['https://game.example'])],
    [
      'a whole policy is replaced',
      async () => store.replaceDappPolicy(mine, await store.settingsVersion(mine), wholePolicy('odd')),
    ],
    ['signatures may be valid for longer', () => store.setMaxExpiry(paymasterId, 7_200)],
    ['the DApp is paused', () => store.saveDappPause(paymasterId, { since: 1, reason: null })],
    ['the chain is set', () => store.saveChain(chain)],
    ['the chain is removed', () => store.removeChain(chainId)],
    ['the signer is set', () => store.saveSigner({ chainId, address })],
    [
      'a paymaster contract is attached',
      () => store.savePaymasterContract({ chainId, address, version: '1.1.0', checked: false }),
    ],
    ['a fee token is set', () => store.saveFeeToken(token)],
    ['a fee token is removed', () => store.removeFeeToken(chainId, address)],
  ])(
    'when %s, no decision is written that read the settings before, and no other DApp waits',
    async (_what, change) => {
      const read = async (scope: typeof mine) => ({ scope, version: await store.settingsVersion(scope) });
      const [settings, settingsOfOthers] = [await read(mine), await read(others)];
      const changes = await store.settingsChanges();
      await change();
      expect(await store.settingsChanges()).toBeGreaterThan(changes);
      const ledgerVersion = await store.ledgerVersion();
      const conclude = () => ({ decision: () => decision(), reserve: true });
      expect(await store.decideAndReserve({ reservations: [], ledgerVersion, settings }, conclude)).toBeUndefined();
      expect(await store.countDecisions()).toBe(0);
      const facts = { reservations: [], ledgerVersion, settings: settingsOfOthers };
      expect(await store.decideAndReserve(facts, conclude)).toBeDefined();
    },
  );

  test('a decision that is not concluded writes nothing and reserves nothing', async () => {
    const reservations = [{ account: { kind: 'tank', id: 'a' }, kind: 'tank', amount: 7n }] as const;
    const facts = { reservations, ledgerVersion: await store.ledgerVersion() };
    expect(await store.decideAndReserve(facts, () => undefined)).toBeUndefined();
    expect([await store.countDecisions(), await store.heldOf(reservations)]).toEqual([0, [0n]]);
  });
};
