import { describe, expect, it } from 'vitest';
import { MAX_COUNTS } from '../../../src/core/policy/policy-bounds.ts';
import type { FeeToken } from '../../../src/shared/schema/fee-token.ts';
import type { ApiKey, AuthToken } from '../../../src/engine/store/registry-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import { account, paymaster } from '../../support/store-records.ts';
import { type OpenStore, useStore } from './open-store.ts';

const WALLET = '0x00000000000000000000000000000000000000ff';
const CHANGE = { fundingWallet: WALLET, signature: '0x5161', at: 9 } as const;

/** What every {@link Store} does. */
export const describeRegistryStore = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => {
    store = opened;
  });

  describe('accounts and auth tokens', () => {
    const token: AuthToken = {
      tokenId: 't1',
      accountId: account.accountId,
      label: 'CI',
      scope: 'manage',
      paymasterId: null,
      createdAt: 5,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    };

    it('finds accounts and lists the first one first, which is the one that commands mean', async () => {
      const second = { accountId: 'account-0', name: 'Second', createdAt: 1_001 };
      await store.createAccount(second);

      expect(await store.listAccounts()).toEqual([account, second]);
      expect(await store.findAccount('account-0')).toEqual(second);
      expect(await store.findAccount('nobody')).toBeUndefined();
    });

    it('makes the first account if none exists, even if another engine is about to', async () => {
      await Promise.all([1, 2].map((n) => store.createFirstAccount({ accountId: `n${n}`, name: 'N', createdAt: n })));
      expect(await store.listAccounts()).toEqual([account]);
    });

    it('finds a token by its hash, and by nothing else', async () => {
      await store.createAuthToken(token, 'hash-1');

      expect(await store.findAuthToken('hash-1')).toEqual(token);
      expect(await store.findAuthToken('t1')).toBeUndefined();
      expect(await store.findAuthToken('HASH-1')).toBeUndefined();
    });

    it('keeps what a token may do and for how long, and finds it when that time is over', async () => {
      const ofDapp: AuthToken = { ...token, scope: 'dapp', paymasterId: 'dapp-1', expiresAt: 6 };
      const reader: AuthToken = { ...token, tokenId: 't2', scope: 'read' };
      await store.createAuthToken(ofDapp, 'hash-1');
      await store.createAuthToken(reader, 'hash-2');
      await reopen();

      expect(await store.findAuthToken('hash-1')).toEqual(ofDapp);
      expect(await store.findAuthToken('hash-2')).toEqual(reader);
    });

    it('keeps when a token was last used, and writes that once a minute at most', async () => {
      await store.createAuthToken(token, 'hash-1');
      const lastUse = async () => (await store.findAuthToken('hash-1'))?.lastUsedAt;

      await store.recordTokenUse('t1', 100_000);
      expect(await lastUse()).toBe(100_000);
      await Promise.all([store.recordTokenUse('t1', 159_999), store.recordTokenUse('t1', 90_000)]);
      expect(await lastUse()).toBe(100_000);
      await Promise.all([store.recordTokenUse('t1', 160_000), store.recordTokenUse('t1', 160_001)]);
      expect(await lastUse()).toBe(160_000);
      await store.recordTokenUse('nothing', 100_000);
      expect(await store.listAuthTokens()).toEqual([{ ...token, lastUsedAt: 160_000 }]);
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
      expect(await store.findAuthToken('hash-1')).toBeUndefined();
      expect(await store.revokeAuthToken('nothing', 90)).toBeUndefined();
    });
  });

  describe('paymasters', () => {
    it('finds a DApp by id and by API key, exactly', async () => {
      expect(await store.findDapp('dapp-1')).toEqual(paymaster());
      expect(await store.findDappByApiKey(paymaster().apiKey)).toEqual(paymaster());
      expect(await store.findDappByApiKey(paymaster().apiKey.toUpperCase())).toBeUndefined();
      expect(await store.findDapp('dapp')).toBeUndefined();
      // What a request may name, though no database need be able to keep it.
      expect(await store.findDapp('dapp-1\0')).toBeUndefined();
      expect(await store.findDappByApiKey('key\0')).toBeUndefined();
    });

    it('lists the DApps of one account or of all, in the order in which they were made', async () => {
      await store.createAccount({ accountId: 'other', name: 'Other', createdAt: 1 });
      const others = paymaster({ paymasterId: 'dapp-0', accountId: 'other' });
      await store.createDapp(others);

      expect(await store.listDapps()).toEqual([paymaster(), others]);
      expect(await store.listDapps('other')).toEqual([others]);
    });

    it('refuses a second DApp of the same name on the same chain, and only there', async () => {
      const twin = paymaster({ paymasterId: 'dapp-2' });
      await store.createAccount({ accountId: 'other', name: 'Other', createdAt: 1 });

      await expect(store.createDapp(twin)).rejects.toMatchObject({ code: 'PAYMASTER_NAME_EXISTS' });
      await store.createDapp({ ...twin, chainId: 1 });
      await store.createDapp(paymaster({ paymasterId: 'dapp-3', accountId: 'other' }));
      expect((await store.listDapps()).map(({ paymasterId }) => paymasterId)).toEqual(['dapp-1', 'dapp-2', 'dapp-3']);
    });

    it('keeps what a DApp may ask for as expiry, by its API key too', async () => {
      expect(await store.findDappByApiKey(paymaster().apiKey)).toMatchObject({ maxExpirySeconds: 3_600 });
      const changed = paymaster({ maxExpirySeconds: 86_400 });
      expect(await store.setMaxExpiry('dapp-1', 86_400)).toEqual(changed);
      expect(await store.findDappByApiKey(paymaster().apiKey)).toEqual(changed);
      expect(await store.setMaxExpiry('nobody', 600)).toBeUndefined();
    });

    it('keeps whether users may pay in tokens, by the API key too', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other', apiKey: 'other', tokenMode: false }));
      for (const tokenMode of [false, true]) {
        expect(await store.setTokenMode('dapp-1', tokenMode)).toEqual(paymaster({ tokenMode }));
        expect(await store.findDappByApiKey(paymaster().apiKey)).toEqual(paymaster({ tokenMode }));
      }
      expect(await store.findDapp('dapp-2')).toMatchObject({ tokenMode: false });
      expect(await store.setTokenMode('nobody', true)).toBeUndefined();
    });

    it('renames a DApp, and refuses a name that is taken', async () => {
      expect(await store.renameDapp('dapp-1', 'Bazaar')).toEqual(paymaster({ name: 'Bazaar' }));
      expect(await store.findDappByApiKey(paymaster().apiKey)).toMatchObject({ name: 'Bazaar' });
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other' }));
      await expect(store.renameDapp('dapp-2', 'Bazaar')).rejects.toMatchObject({ code: 'PAYMASTER_NAME_EXISTS' });
      expect(await store.renameDapp('nobody', 'x')).toBeUndefined();
    });

    it('keeps what wallets are shown about the sponsor, by its API key too', async () => {
      const sponsor = { icon: null, isTold: false };
      expect(await store.setSponsor('dapp-1', sponsor)).toEqual(paymaster({ sponsor }));
      expect(await store.findDappByApiKey(paymaster().apiKey)).toEqual(paymaster({ sponsor }));
      expect(await store.setSponsor('nobody', sponsor)).toBeUndefined();
    });

    it('takes a clash of API keys for a bug, not for a taken name', async () => {
      const clash = store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other', apiKey: paymaster().apiKey }));
      await expect(clash).rejects.not.toHaveProperty('code', 'PAYMASTER_NAME_EXISTS');
    });
  });

  describe('API keys', () => {
    const first: ApiKey = {
      keyId: 'dapp-1',
      paymasterId: 'dapp-1',
      apiKey: paymaster().apiKey,
      label: 'first',
      createdAt: 2_000,
      lastUsedAt: null,
      revokedAt: null,
    };
    const second: ApiKey = { ...first, keyId: 'k2', apiKey: 'second key', label: 'Web', createdAt: 2_001 };
    const third: ApiKey = { ...second, keyId: 'k3', apiKey: 'third key' };
    const ofKey = async (apiKey: string) => (await store.findDappByApiKey(apiKey))?.paymasterId;

    it('begins with the key that the DApp is made with, which has its id', async () => {
      expect(await store.listApiKeys('dapp-1')).toEqual([first]);
      expect(await store.listApiKeys('nobody')).toEqual([]);
    });

    it('finds a DApp by any of its keys, and shows the newest', async () => {
      await store.createApiKey(second);
      await store.createApiKey(third);

      expect(await store.listApiKeys('dapp-1')).toEqual([first, second, third]);
      for (const { apiKey } of [first, second, third]) {
        expect(await store.findDappByApiKey(apiKey)).toEqual(paymaster({ apiKey: 'third key' }));
      }
      expect(await ofKey('k2')).toBeUndefined();
      expect(await store.listDapps()).toEqual([paymaster({ apiKey: 'third key' })]);
    });

    it('refuses a revoked key at once and for good, serves the others, and shows the newest of them', async () => {
      await store.createApiKey(second);
      expect(await ofKey('second key')).toBe('dapp-1');

      expect(await store.revokeApiKey('k2', 70)).toEqual({ ...second, revokedAt: 70 });
      expect(await ofKey('second key')).toBeUndefined();
      expect(await store.findDappByApiKey(first.apiKey)).toEqual(paymaster());
      expect(await store.revokeApiKey('k2', 90)).toEqual({ ...second, revokedAt: 70 });
      expect(await store.listApiKeys('dapp-1')).toEqual([first, { ...second, revokedAt: 70 }]);
      expect(await store.revokeApiKey('nothing', 90)).toBeUndefined();
    });

    it('counts the keys that are not revoked: one beyond their limit is refused until another is revoked', async () => {
      const key = (index: number): ApiKey => ({ ...second, keyId: `n${index}`, apiKey: `key ${index}` });
      for (let index = 1; index < MAX_COUNTS.apiKeys; index += 1) await store.createApiKey(key(index));
      await expect(store.createApiKey(second)).rejects.toMatchObject({ code: 'TOO_MANY', data: { bound: 'apiKeys' } });
      expect(await ofKey(second.apiKey)).toBeUndefined();
      await store.revokeApiKey('n1', 70);
      await store.createApiKey(second);
      expect(await ofKey(second.apiKey)).toBe('dapp-1');
    });

    it('leaves a DApp its last key, whatever comes at the same time', async () => {
      await store.createApiKey(second);
      const revoked = await Promise.allSettled(['dapp-1', 'k2'].map((keyId) => store.revokeApiKey(keyId, 70)));

      const refused = revoked.filter((result) => result.status === 'rejected');
      expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'LAST_API_KEY' }) }]);
      const [left, ...others] = (await store.listApiKeys('dapp-1')).filter(({ revokedAt }) => revokedAt === null);
      expect(others).toEqual([]);
      expect(await store.findDapp('dapp-1')).toMatchObject({ apiKey: left?.apiKey });
    });

    it('replaces all keys by one, and those of no other DApp', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other' }));
      await store.createApiKey(second);
      await store.revokeApiKey('dapp-1', 2_005);

      await store.replaceApiKeys({ ...third, createdAt: 2_010 });

      expect(await store.listApiKeys('dapp-1')).toEqual([
        { ...first, revokedAt: 2_005 },
        { ...second, revokedAt: 2_010 },
        { ...third, createdAt: 2_010 },
      ]);
      expect([await ofKey('second key'), await ofKey('third key')]).toEqual([undefined, 'dapp-1']);
      expect(await ofKey('key of dapp-2')).toBe('dapp-2');
    });

    it('takes a key twice for a bug, even one that is revoked, and changes nothing', async () => {
      await store.createApiKey(second);
      await store.revokeApiKey('k2', 70);

      await expect(store.createApiKey({ ...third, apiKey: second.apiKey })).rejects.toThrow();
      expect(await store.listApiKeys('dapp-1')).toEqual([first, { ...second, revokedAt: 70 }]);
      expect(await store.findDapp('dapp-1')).toEqual(paymaster());
    });

    it('keeps when a key was last used, and writes that once a minute at most', async () => {
      await store.createApiKey(second);
      const lastUses = async () => (await store.listApiKeys('dapp-1')).map(({ lastUsedAt }) => lastUsedAt);

      await store.recordKeyUse('second key', 100_000);
      expect(await lastUses()).toEqual([null, 100_000]);
      await Promise.all([store.recordKeyUse('second key', 159_999), store.recordKeyUse('second key', 90_000)]);
      expect(await lastUses()).toEqual([null, 100_000]);
      await Promise.all([store.recordKeyUse('second key', 160_000), store.recordKeyUse('nothing', 160_000)]);
      expect(await lastUses()).toEqual([null, 160_000]);
    });

    it('lets decisions continue while a key is added: they do not depend on it', async () => {
      const scope = { paymasterId: 'dapp-1', chainId: 31337 };
      const version = await store.settingsVersion(scope);
      await store.createApiKey(second);
      expect(await store.settingsVersion(scope)).toBe(version);
    });

    it('lets decisions restart when a key is revoked or all are replaced: a request under it is not signed', async () => {
      const scope = { paymasterId: 'dapp-1', chainId: 31337 };
      await store.createApiKey(second);
      const versions = [await store.settingsVersion(scope)];
      await store.revokeApiKey('dapp-1', 70);
      versions.push(await store.settingsVersion(scope));
      await store.replaceApiKeys(third);
      versions.push(await store.settingsVersion(scope));
      expect(new Set(versions).size).toBe(3);
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
      expect(await store.findDapp('dapp-1')).toEqual(paymaster({ fundingWallet: WALLET }));
      expect(await store.findFundingMessage('dapp-1')).toBeUndefined();
    });

    it('changes nothing with a message that was replaced, so that an old signature cannot move a tank', async () => {
      await store.saveFundingMessage(first);
      await store.saveFundingMessage(second);

      expect(await store.useFundingMessage(first, CHANGE)).toBe(false);
      expect(await store.findDapp('dapp-1')).toEqual(paymaster());
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
      expect((await store.findDapp('dapp-1'))?.fundingWallet).toBe(winner);
      expect(await store.listFundingWalletChanges('dapp-1')).toHaveLength(1);
    });

    it('shows who had a tank when, and by what proof', async () => {
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

  describe('chains, signers and paymaster contracts', () => {
    const treasury = `0x${'7e'.repeat(20)}` as const;
    const none = {
      symbol: null,
      bundler: null,
      maxOperationCostWei: '20000000000000000000',
      price: null,
      forwardBundler: 'own' as const,
      gasSchedule: null,
    };
    const breaker = { amountWei: String(10n ** 20n), seconds: 3_600 };
    const spending = { breaker, unreachableBudgetWei: String(10n ** 17n) };
    const chain = { ...none, ...spending, chainId: 5, name: 'Five', rpc: 'http://127.0.0.1:1', treasury };
    const contract = { chainId: 5, version: '1.1.0', address: WALLET, checked: true } as const;

    it.each([null, 'default', breaker] as const)('keeps the breaker %j', async (one) => {
      await store.saveChain({ ...chain, breaker: one });
      await reopen();
      expect((await store.findChain(5))?.breaker).toEqual(one);
    });

    it('replaces and removes the settings of a chain', async () => {
      await store.saveChain({ ...chain, name: 'Old', breaker: null, unreachableBudgetWei: null });
      await store.saveChain(chain);
      await store.saveChain({ ...chain, chainId: 4 });

      expect((await store.listChains()).map(({ chainId }) => chainId)).toEqual([4, 5]);
      expect(await store.findChain(5)).toEqual({ ...chain, gasScheduleReading: null });
      expect(await store.removeChain(5)).toBe(true);
      expect(await store.removeChain(5)).toBe(false);
      expect(await store.findChain(5)).toBeUndefined();
    });

    it('keeps what the node reports of its gas schedule, also when the settings change', async () => {
      const reading = {
        name: 'osaka',
        source: 'eth_config',
        next: { name: 'amsterdam', at: 1_800_000_000_000 },
      } as const;
      await store.saveGasSchedule(5, reading);
      expect(await store.findChain(5)).toBeUndefined();
      await store.saveChain(chain);
      await store.saveGasSchedule(5, reading);
      await store.saveChain({ ...chain, gasSchedule: 'prague' });
      await reopen();
      expect(await store.findChain(5)).toMatchObject({ gasSchedule: 'prague', gasScheduleReading: reading });
      await store.saveGasSchedule(5, null);
      expect((await store.listChains())[0]?.gasScheduleReading).toBeNull();
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
};
