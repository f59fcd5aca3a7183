import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/engine/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import type { FeeToken } from '../../src/shared/schema/fee-token.ts';
import type { DappPolicy, Store } from '../../src/engine/store/store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { account, decision, limitRule, paymaster, smartContract, webhook } from '../support/store-records.ts';
import { useTempFolders } from '../support/temp-folder.ts';

/** What every store has to do. A second implementation adds its line here. */
const stores = [
  {
    name: 'SQLite',
    open: (dir: string): Store =>
      openSqliteStore(join(dir, 'gasdesk.db'), { clock: new ManualClock(), log: createLog({ level: 'silent' }) }),
  },
];

const WALLET = '0x00000000000000000000000000000000000000ff';
const CHANGE = { fundingWallet: WALLET, signature: '0x5161', at: 9 } as const;

describe.each(stores)('the store on $name', ({ open }) => {
  const tempFolder = useTempFolders();
  let dir: string;
  let store: Store;
  beforeEach(async () => {
    dir = tempFolder();
    store = open(dir);
    await store.createAccount(account);
    await store.createPaymaster(paymaster());
  });
  afterEach(() => store.close());

  const reopen = async (): Promise<void> => {
    await store.close();
    store = open(dir);
  };

  describe('accounts and auth tokens', () => {
    const token = { tokenId: 't1', accountId: account.accountId, label: 'CI', createdAt: 5, revokedAt: null };

    it('finds accounts and lists the first one first, which is the one that commands mean', async () => {
      const second = { accountId: 'account-0', name: 'Second', createdAt: 1_001 };
      await store.createAccount(second);

      expect(await store.listAccounts()).toEqual([account, second]);
      expect(await store.findAccount('account-0')).toEqual(second);
      expect(await store.findAccount('nobody')).toBeUndefined();
    });

    it('lets a token act for its account by its hash, and by nothing else', async () => {
      await store.createAuthToken(token, 'hash-1');

      expect(await store.accountOfToken('hash-1')).toBe(account.accountId);
      expect(await store.accountOfToken('t1')).toBeUndefined();
      expect(await store.accountOfToken('HASH-1')).toBeUndefined();
    });

    it('lists the tokens of one account or of all', async () => {
      await store.createAccount({ accountId: 'other', name: 'Other', createdAt: 1 });
      await store.createAuthToken(token, 'hash-1');
      const others = { ...token, tokenId: 't2', accountId: 'other', createdAt: 6 };
      await store.createAuthToken(others, 'hash-2');

      expect(await store.listAuthTokens()).toEqual([token, others]);
      expect(await store.listAuthTokens('other')).toEqual([others]);
      expect(await store.listAuthTokens('nobody')).toEqual([]);
    });

    it('shuts a revoked token out for good, and keeps the time when that happened', async () => {
      await store.createAuthToken(token, 'hash-1');

      expect(await store.revokeAuthToken('t1', 70)).toEqual({ ...token, revokedAt: 70 });
      expect(await store.revokeAuthToken('t1', 90)).toEqual({ ...token, revokedAt: 70 });
      expect(await store.accountOfToken('hash-1')).toBeUndefined();
      expect(await store.revokeAuthToken('nothing', 90)).toBeUndefined();
    });
  });

  describe('paymasters', () => {
    it('finds a DApp by id and by API key, exactly', async () => {
      expect(await store.findPaymaster('dapp-1')).toEqual(paymaster());
      expect(await store.findPaymasterByApiKey(paymaster().apiKey)).toEqual(paymaster());
      expect(await store.findPaymasterByApiKey(paymaster().apiKey.toUpperCase())).toBeUndefined();
      expect(await store.findPaymaster('dapp')).toBeUndefined();
    });

    it('lists the DApps of one account or of all, in the order in which they were made', async () => {
      await store.createAccount({ accountId: 'other', name: 'Other', createdAt: 1 });
      const others = paymaster({ paymasterId: 'dapp-0', accountId: 'other' });
      await store.createPaymaster(others);

      expect(await store.listPaymasters()).toEqual([paymaster(), others]);
      expect(await store.listPaymasters('other')).toEqual([others]);
    });

    it('refuses a second DApp of the same name on the same chain, and only there', async () => {
      const twin = paymaster({ paymasterId: 'dapp-2' });
      await store.createAccount({ accountId: 'other', name: 'Other', createdAt: 1 });

      await expect(store.createPaymaster(twin)).rejects.toMatchObject({ code: 'PAYMASTER_NAME_EXISTS' });
      await store.createPaymaster({ ...twin, chainId: 1 });
      await store.createPaymaster(paymaster({ paymasterId: 'dapp-3', accountId: 'other' }));
      expect((await store.listPaymasters()).map(({ paymasterId }) => paymasterId)).toEqual([
        'dapp-1',
        'dapp-2',
        'dapp-3',
      ]);
    });

    it('takes a clash of API keys for a bug, not for a taken name', async () => {
      const clash = store.createPaymaster(
        paymaster({ paymasterId: 'dapp-2', name: 'Other', apiKey: paymaster().apiKey }),
      );
      await expect(clash).rejects.not.toHaveProperty('code', 'PAYMASTER_NAME_EXISTS');
    });
  });

  describe('funding messages', () => {
    const first = { paymasterId: 'dapp-1', message: 'Nonce: 1', issuedAt: 1 };
    const second = { paymasterId: 'dapp-1', message: 'Nonce: 2', issuedAt: 2 };

    it('keeps only the newest message of a paymaster', async () => {
      expect(await store.findFundingMessage('dapp-1')).toBeUndefined();
      await store.saveFundingMessage(first);
      await store.saveFundingMessage(second);
      expect(await store.findFundingMessage('dapp-1')).toEqual(second);
    });

    it('changes the funding wallet with the newest message and uses the message up', async () => {
      await store.saveFundingMessage(first);

      expect(await store.useFundingMessage(first, CHANGE)).toBe(true);
      expect(await store.findPaymaster('dapp-1')).toEqual(paymaster({ fundingWallet: WALLET }));
      expect(await store.findFundingMessage('dapp-1')).toBeUndefined();
    });

    it('changes nothing with a message that was replaced, so that an old signature cannot move a tank', async () => {
      await store.saveFundingMessage(first);
      await store.saveFundingMessage(second);

      expect(await store.useFundingMessage(first, CHANGE)).toBe(false);
      expect(await store.findPaymaster('dapp-1')).toEqual(paymaster());
      expect(await store.findFundingMessage('dapp-1')).toEqual(second);
    });

    it('lets one of many uses of a message win, whatever comes at the same time', async () => {
      await store.saveFundingMessage(first);
      const wallets = Array.from({ length: 8 }, (_, n): `0x${string}` => `0x${String(n).repeat(40)}`);

      const results = await Promise.all(
        wallets.map((wallet) => store.useFundingMessage(first, { ...CHANGE, fundingWallet: wallet })),
      );

      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = wallets[results.indexOf(true)];
      expect((await store.findPaymaster('dapp-1'))?.fundingWallet).toBe(winner);
      expect(await store.listFundingWalletChanges('dapp-1')).toHaveLength(1);
    });

    it('tells who had a tank when, and by what proof', async () => {
      const other = { fundingWallet: '0x00000000000000000000000000000000000000ee', signature: '0xee', at: 10 } as const;
      await store.saveFundingMessage(first);
      await store.useFundingMessage(first, CHANGE);
      await store.saveFundingMessage(second);
      await store.useFundingMessage(second, other);
      expect(await store.listFundingWalletChanges('dapp-1')).toEqual([
        { at: 10, previous: WALLET, address: other.fundingWallet, message: second.message, signature: '0xee' },
        { at: 9, previous: null, address: WALLET, message: first.message, signature: '0x5161' },
      ]);
      expect(await store.listFundingWalletChanges('dapp-2')).toEqual([]);
    });
  });

  describe('registered contracts', () => {
    it('finds a contract whatever the letter case of its address', async () => {
      await store.createContract(smartContract());

      const lower = smartContract().address.toLowerCase() as `0x${string}`;
      expect(await store.findContract('dapp-1', lower)).toEqual(smartContract());
      expect(await store.findContract('dapp-2', lower)).toBeUndefined();
    });

    it('refuses the same address in other letters, and the same name', async () => {
      await store.createContract(smartContract());
      const upper = `0x${smartContract().address.slice(2).toUpperCase()}` as const;

      await expect(
        store.createContract(smartContract({ ruleId: 'r2', name: 'Other', address: upper })),
      ).rejects.toMatchObject({ code: 'CONTRACT_ADDRESS_EXISTS' });
      await expect(
        store.createContract(smartContract({ ruleId: 'r2', address: `0x${'22'.repeat(20)}` })),
      ).rejects.toMatchObject({ code: 'CONTRACT_NAME_EXISTS' });
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([smartContract()]);
    });

    it('lets two DApps register the same contract', async () => {
      await store.createPaymaster(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      await store.createContract(smartContract());
      const others = smartContract({ ruleId: 'r2', paymasterId: 'dapp-2' });
      await store.createContract(others);

      expect((await store.dappPolicy('dapp-2')).contracts).toEqual([others]);
    });

    it('changes the methods of the one contract that is named', async () => {
      const other = smartContract({ ruleId: 'r2', name: 'Other', address: `0x${'22'.repeat(20)}` });
      await store.createContract(smartContract());
      await store.createContract(other);

      const updated = { ...smartContract(), whitelistedMethods: ['mint', 'burn'] };
      expect(await store.updateContract('dapp-1', smartContract().address, ['mint', 'burn'])).toEqual(updated);
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([updated, other]);
      expect(await store.updateContract('dapp-2', smartContract().address, [])).toBeUndefined();
    });

    it('frees address and name when a contract is deleted', async () => {
      await store.createContract(smartContract());

      expect(await store.deleteContract('dapp-1', smartContract().address)).toBe(true);
      expect(await store.deleteContract('dapp-1', smartContract().address)).toBe(false);
      await store.createContract(smartContract({ ruleId: 'r2' }));
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([smartContract({ ruleId: 'r2' })]);
    });
  });

  describe('rules', () => {
    const url = { url: 'https://example.com' };
    const hook = { ruleId: 'hook-1', paymasterId: 'dapp-1', name: 'Ask', active: true, cycle: 0 } as const;

    it('keeps rules of every type as they are, thresholds to the last digit', async () => {
      const rules = [
        limitRule(),
        { ...hook, policyType: 'WEBHOOK' as const, policyData: url },
        {
          ...hook,
          ruleId: 'deploy-1',
          name: 'Deploy',
          policyType: 'WALLET_DEPLOYMENT' as const,
          policyData: { operator: 'walletDeployment' as const },
        },
      ];
      for (const rule of rules) await store.createRule(rule);
      expect((await store.dappPolicy('dapp-1')).rules).toEqual(rules);
    });

    it('refuses a second rule of the same name, on creation and on renaming', async () => {
      await store.createRule(limitRule());
      await expect(store.createRule(limitRule({ ruleId: 'limit-2' }))).rejects.toMatchObject({
        code: 'RULE_NAME_EXISTS',
      });
      const second = limitRule({ ruleId: 'limit-2', name: 'Other' });
      await store.createRule(second);
      const { policyData } = limitRule();
      if (!('threshold' in policyData)) throw new Error('not a limit');
      await expect(store.updateLimit('dapp-1', 'limit-2', 'Five a day', policyData)).rejects.toMatchObject({
        code: 'RULE_NAME_EXISTS',
      });
      expect((await store.dappPolicy('dapp-1')).rules).toEqual([limitRule(), second]);
    });

    it('updates spending limits only, and only those of the DApp', async () => {
      await store.createRule(limitRule());
      await store.createRule({ ...hook, policyType: 'WEBHOOK', policyData: url });
      const { policyData } = limitRule();
      if (!('threshold' in policyData)) throw new Error('not a limit');
      const limit = { ...policyData, threshold: '7', thresholdType: 'COUNT' as const };

      expect(await store.updateLimit('dapp-1', 'limit-1', 'Seven', limit)).toBe(true);
      expect(await store.updateLimit('dapp-1', 'hook-1', 'Seven 2', limit)).toBe(false);
      expect(await store.updateLimit('dapp-2', 'limit-1', 'Seven 3', limit)).toBe(false);
      expect((await store.dappPolicy('dapp-1')).rules).toMatchObject([
        { name: 'Seven', policyData: limit, cycle: 1 },
        { name: 'Ask', policyData: url, cycle: 0 },
      ]);
    });

    it('starts the windows of a limit anew with every update, and with nothing else', async () => {
      await store.createRule(limitRule());
      const { policyData } = limitRule();
      if (!('threshold' in policyData)) throw new Error('not a limit');
      const cycle = async (): Promise<unknown> => (await store.dappPolicy('dapp-1')).rules[0]?.cycle;

      await store.setRuleActive('dapp-1', 'limit-1', false);
      await store.setRuleActive('dapp-1', 'limit-1', true);
      expect(await cycle()).toBe(0);
      await store.updateLimit('dapp-1', 'limit-1', 'Five a day', policyData);
      await store.updateLimit('dapp-1', 'limit-1', 'Five a day', policyData);
      expect(await cycle()).toBe(2);
      await reopen();
      expect(await cycle()).toBe(2);
    });

    it('pauses rules and registered contracts by their ids', async () => {
      await store.createRule(limitRule());
      await store.createContract(smartContract());

      expect(await store.setRuleActive('dapp-1', 'limit-1', false)).toBe(true);
      expect(await store.setRuleActive('dapp-1', 'contract-rule-1', false)).toBe(true);
      expect(await store.setRuleActive('dapp-1', 'unknown', false)).toBe(false);
      expect(await store.setRuleActive('dapp-2', 'limit-1', true)).toBe(false);
      const { rules, contracts } = await store.dappPolicy('dapp-1');
      expect([...rules, ...contracts].map(({ active }) => active)).toEqual([false, false]);
    });
  });

  describe('webhooks', () => {
    it('registers, switches, finds and deletes them', async () => {
      await store.createWebhook(webhook());
      await store.createWebhook(webhook({ webhookId: 'webhook-2', requestType: 'GET' }));

      expect(await store.setWebhookActive('dapp-1', 'webhook-1', false)).toBe(true);
      expect((await store.dappPolicy('dapp-1')).webhooks[0]).toEqual(webhook({ active: false }));
      expect(await store.isWebhook('webhook-1')).toBe(true);
      expect(await store.setWebhookActive('dapp-2', 'webhook-1', true)).toBe(false);
      expect(await store.deleteWebhook('dapp-2', 'webhook-1')).toBe(false);
      expect(await store.deleteWebhook('dapp-1', 'webhook-1')).toBe(true);
      expect(await store.isWebhook('webhook-1')).toBe(false);
      expect((await store.dappPolicy('dapp-1')).webhooks).toEqual([
        webhook({ webhookId: 'webhook-2', requestType: 'GET' }),
      ]);
    });
  });

  describe('the policy of a DApp', () => {
    it('is the same object as long as nothing changes', async () => {
      await store.createRule(limitRule());
      const policy = await store.dappPolicy('dapp-1');
      expect(await store.dappPolicy('dapp-1')).toBe(policy);
    });

    it('moves its revision with every kind of change, and never for another DApp', async () => {
      await store.createPaymaster(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      const other = await store.dappPolicy('dapp-2');
      const { policyData } = limitRule();
      if (!('threshold' in policyData)) throw new Error('not a limit');
      const changes: (() => Promise<unknown>)[] = [
        () => store.createContract(smartContract()),
        () => store.updateContract('dapp-1', smartContract().address, []),
        () => store.createRule(limitRule()),
        () => store.updateLimit('dapp-1', 'limit-1', 'Renamed', policyData),
        () => store.setRuleActive('dapp-1', 'limit-1', false),
        () => store.setRuleActive('dapp-1', 'contract-rule-1', false),
        () => store.deleteContract('dapp-1', smartContract().address),
        () => store.createWebhook(webhook()),
        () => store.setWebhookActive('dapp-1', 'webhook-1', false),
        () => store.deleteWebhook('dapp-1', 'webhook-1'),
      ];
      let before: DappPolicy = await store.dappPolicy('dapp-1');
      for (const change of changes) {
        await change();
        const after = await store.dappPolicy('dapp-1');
        expect(after.revision, String(change)).toBeGreaterThan(before.revision);
        expect(after).not.toBe(before);
        before = after;
      }
      expect(await store.dappPolicy('dapp-2')).toBe(other);
    });

    it('stays where it is when a change finds nothing to change or is refused', async () => {
      await store.createRule(limitRule());
      const before = await store.dappPolicy('dapp-1');
      await store.setRuleActive('dapp-1', 'unknown', false);
      await store.deleteWebhook('dapp-1', 'unknown');
      await store.createRule(limitRule({ ruleId: 'limit-2' })).catch(() => undefined);
      expect(await store.dappPolicy('dapp-1')).toBe(before);
    });

    it('does not go back when the store is opened again', async () => {
      await store.createRule(limitRule());
      const { revision } = await store.dappPolicy('dapp-1');
      await reopen();
      expect((await store.dappPolicy('dapp-1')).revision).toBe(revision);
    });
  });

  describe('chains, signers and paymaster contracts', () => {
    const treasury = `0x${'7e'.repeat(20)}` as const;
    const none = { symbol: null, bundler: null };
    const breaker = { amountWei: String(10n ** 20n), seconds: 3_600 };
    const chain = { ...none, breaker, chainId: 5, name: 'Five', rpc: 'http://127.0.0.1:1', treasury };
    const contract = { chainId: 5, version: '1.1.0', address: WALLET, checked: true } as const;

    it('replaces and removes the settings of a chain', async () => {
      await store.saveChain({ ...chain, name: 'Old', breaker: null });
      await store.saveChain(chain);
      await store.saveChain({ ...chain, chainId: 4 });

      expect((await store.listChains()).map(({ chainId }) => chainId)).toEqual([4, 5]);
      expect(await store.findChain(5)).toEqual(chain);
      expect(await store.removeChain(5)).toBe(true);
      expect(await store.removeChain(5)).toBe(false);
      expect(await store.findChain(5)).toBeUndefined();
    });

    it('unchecks the contracts of a chain when its signer changes, and no others', async () => {
      await store.savePaymasterContract(contract);
      await store.savePaymasterContract({ ...contract, version: 'verifying-0.6' });
      await store.savePaymasterContract({ ...contract, chainId: 6 });

      await store.saveSigner({ chainId: 5, address: WALLET });

      expect((await store.listPaymasterContracts()).map(({ checked }) => checked)).toEqual([false, false, true]);
      expect(await store.findSigner(5)).toEqual({ chainId: 5, address: WALLET });
      expect(await store.listSigners()).toEqual([{ chainId: 5, address: WALLET }]);
    });

    it('keeps one contract per chain and version', async () => {
      await store.savePaymasterContract(contract);
      await store.savePaymasterContract({ ...contract, checked: false });

      expect(await store.listPaymasterContracts()).toEqual([{ ...contract, checked: false }]);
      expect(await store.findPaymasterContract(5, '1.1.0')).toEqual({ ...contract, checked: false });
      expect(await store.findPaymasterContract(5, '1.0.0')).toBeUndefined();
    });
  });

  describe('fee tokens', () => {
    const token: FeeToken = {
      chainId: 5,
      address: '0xAbCdEf0000000000000000000000000000000001',
      symbol: 'USDC',
      decimals: 6,
      premium: '2.5',
      rate: { source: 'chainlink', nativeFeed: WALLET, tokenFeed: WALLET, maxAge: 90_000 },
      preFund: true,
      logoUrl: 'https://example.com/usdc.svg',
    };
    const lower = '0xabcdef0000000000000000000000000000000001';

    it('keeps a token as it was set', async () => {
      await store.saveFeeToken(token);
      await reopen();

      expect(await store.listFeeTokens()).toEqual([token]);
    });

    it('replaces a token, so that none has two prices', async () => {
      await store.saveFeeToken(token);
      const next: FeeToken = { ...token, address: lower, rate: { source: 'static', tokensPerCoin: '3000.5' } };
      await store.saveFeeToken(next);

      expect(await store.listFeeTokens()).toEqual([next]);
    });

    it('lists the tokens of one chain or of all, and removes one', async () => {
      await store.saveFeeToken(token);
      await store.saveFeeToken({ ...token, chainId: 6 });

      expect((await store.listFeeTokens()).map(({ chainId }) => chainId)).toEqual([5, 6]);
      expect(await store.listFeeTokens(6)).toHaveLength(1);
      expect(await store.removeFeeToken(6, lower)).toBe(true);
      expect(await store.removeFeeToken(6, lower)).toBe(false);
      expect(await store.listFeeTokens()).toEqual([token]);
    });
  });

  describe('decisions', () => {
    const append = (fields: Parameters<typeof decision>[0]) => store.appendDecision(decision(fields));

    it('keeps a decision as it was made, trace and 256-bit numbers included', async () => {
      const stored = await append({});
      expect(stored).toEqual({ ...decision(), seq: stored.seq });
      expect(await store.findDecision('decision-1')).toEqual(stored);
      expect(await store.findDecision('decision-2')).toBeUndefined();
    });

    it('numbers decisions upwards without a gap, also across a restart', async () => {
      const seqs = [await append({ id: 'a' }), await append({ id: 'b' })].map(({ seq }) => seq);
      await reopen();
      seqs.push((await append({ id: 'c' })).seq);
      expect(seqs).toEqual([1, 2, 3]);
      expect(await store.countDecisions()).toBe(3);
    });

    it('lists the newest first, filtered and page by page', async () => {
      await store.createPaymaster(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      for (let n = 1; n <= 12; n += 1) {
        await append({
          id: String(n),
          paymasterId: n % 2 === 0 ? 'dapp-1' : 'dapp-2',
          outcome: n % 3 === 0 ? 'denied' : 'sponsored',
        });
      }
      const ids = async (filter: Omit<Parameters<Store['listDecisions']>[0], 'limit'>, limit = 100) =>
        (await store.listDecisions({ ...filter, limit })).map(({ id }) => Number(id));

      expect(await ids({}, 3)).toEqual([12, 11, 10]);
      expect(await ids({ before: 10 }, 3)).toEqual([9, 8, 7]);
      expect(await ids({ paymasterId: 'dapp-1' })).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await ids({ outcome: 'denied' })).toEqual([12, 9, 6, 3]);
      expect(await ids({ outcome: 'denied', before: 9 })).toEqual([6, 3]);
      expect(await ids({ paymasterId: 'dapp-1', outcome: 'denied' })).toEqual([12, 6]);
      expect(await ids({ paymasterId: 'dapp-2', outcome: 'sponsored', before: 11 }, 2)).toEqual([7, 5]);
      expect(await ids({ paymasterId: undefined, outcome: undefined, before: undefined }, 1)).toEqual([12]);
      expect(await ids({ paymasterId: 'nobody' })).toEqual([]);
    });

    it('reads the oldest first, in pages that are short where decisions are big, to the last', async () => {
      for (let n = 1; n <= 6; n += 1) {
        await append({ id: String(n), request: n > 3 ? 'x'.repeat(700_000) : '', sender: n % 2 === 0 ? WALLET : '0x' });
      }
      const pages = async (filter: Omit<Parameters<Store['pageDecisions']>[0], 'after' | 'limit'>, limit: number) => {
        const ids: number[][] = [];
        for (let [after, isLast] = [0, false]; !isLast;) {
          const { decisions, upTo, more } = await store.pageDecisions({ ...filter, after, limit });
          ids.push(decisions.map(({ id }) => Number(id)));
          [after, isLast] = [upTo, !more];
        }
        return ids;
      };

      expect(await pages({}, 100)).toEqual([[1, 2, 3, 4, 5], [6]]);
      expect(await pages({}, 2)).toEqual([[1, 2], [3, 4], [5, 6], []]);
      expect(await pages({ sender: WALLET }, 100)).toEqual([[2, 4, 6], []]);
      expect(await pages({ sender: '0xnobody' }, 100)).toEqual([[]]);
    });
  });

  it('has everything it acknowledged when it is opened again', async () => {
    await store.createContract(smartContract());
    await store.createRule(limitRule());
    await store.createWebhook(webhook());
    await store.saveFundingMessage({ paymasterId: 'dapp-1', message: 'Nonce: 1', issuedAt: 1 });
    const unset = { name: null, symbol: null, rpc: null, bundler: null, treasury: null, breaker: null };
    await store.saveChain({ chainId: 5, ...unset });
    await store.saveSigner({ chainId: 5, address: WALLET });
    await store.appendDecision(decision());
    const read = async () => ({
      accounts: await store.listAccounts(),
      paymasters: await store.listPaymasters(),
      policy: await store.dappPolicy('dapp-1'),
      message: await store.findFundingMessage('dapp-1'),
      chains: await store.listChains(),
      signers: await store.listSigners(),
      decisions: await store.listDecisions({ limit: 10 }),
    });
    const before = await read();

    await reopen();

    expect(await read()).toEqual(before);
    expect(before.decisions).toHaveLength(1);
  });

  it('finds no fault in itself when it is sound', async () => {
    expect(await store.integrityFaults()).toEqual([]);
  });
});
