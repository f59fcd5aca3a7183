import type { AuthToken } from '../../../src/engine/store/registry-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { Address } from '../../../src/shared/schema/hex.ts';
import { limitRule, paymaster, smartContract, webhook, withdrawal } from '../../support/store-records.ts';
import { wholePolicy } from '../../support/whole-policies.ts';

interface Entry {
  readonly body: { readonly changes: readonly { readonly subject: string; readonly id: string }[] };
}

/** The body of an entry. Rows that one statement removes go in any order: the changes stand by what they are of. */
const bodyOf = (text: string) => {
  const { body } = JSON.parse(text) as Entry;
  const nameOf = ({ subject, id }: Entry['body']['changes'][number]): string => `${subject} ${id}`;
  return { ...body, changes: body.changes.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
};

/** Changes one thing of every kind after the other. @returns what the log says of each */
export const toldChanges = async (store: Store): Promise<unknown[]> => {
  const [paymasterId, chainId] = ['dapp-1', 31_337];
  const address: Address = '0xAbCdEf0000000000000000000000000000000001';
  const lower: Address = '0xabcdef0000000000000000000000000000000001';
  const chain = {
    chainId,
    name: 'Ünïcode "quoted"',
    symbol: 'ETH',
    rpc: 'http://127.0.0.1:1',
    bundler: null,
    treasury: null,
    breaker: { amountWei: '7', seconds: 60 },
    unreachableBudgetWei: null,
    maxOperationCostWei: null,
    forwardBundler: null,
    gasSchedule: null,
    price: { source: 'static', usd: '3000.5' },
  } as const;
  const token = {
    chainId,
    address,
    symbol: 'USDC',
    decimals: 6,
    premium: '2.5',
    preFund: true,
    logoUrl: null,
    rate: { source: 'static', tokensPerCoin: '3000' },
  } as const;
  const authToken: AuthToken = {
    tokenId: 't',
    accountId: 'account-1',
    label: 'CI\\n',
    scope: 'dapp',
    paymasterId,
    createdAt: 1,
    expiresAt: 9_007_199_254_740_991,
    lastUsedAt: null,
    revokedAt: null,
  };
  const key = {
    keyId: 'k',
    paymasterId,
    apiKey: 'second',
    label: 'Web',
    createdAt: 3_000,
    lastUsedAt: null,
    revokedAt: null,
  };
  const scope = { paymasterId, chainId };
  const { name, policyData } = limitRule();
  const message = { paymasterId, message: 'I own it', issuedAt: 1 };

  const changes: readonly (() => Promise<unknown>)[] = [
    () => store.createAuthToken(authToken, 'hash'),
    () => store.recordTokenUse('t', 100),
    () => store.revokeAuthToken('t', 5),
    () => store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Other' })),
    () => store.renameDapp(paymasterId, 'Bazaar 🎲'),
    () => store.setSponsor(paymasterId, { icon: null, isTold: false }),
    () => store.setAllowedOrigins(paymasterId, ['https://a.example', 'https://b.example']),
    () => store.saveFundingMessage(message),
    () => store.useFundingMessage(message, { fundingWallet: address, signature: '0x', at: 2 }),
    () => store.createApiKey(key),
    () => store.recordKeyUse('second', 100),
    () => store.revokeApiKey('k', 3_500),
    () => store.setTokenMode(paymasterId, false),
    () => store.createContract(smartContract()),
    () => store.updateContract(paymasterId, lower, ['burn', 'mint']),
    () => store.createRule({ ...limitRule(), activeUntil: 9, enforcement: 'shadow' }),
    () =>
      store.updateRule(paymasterId, 'limit-1', {
        name,
        policyData: { ...policyData, threshold: '1.50' },
        restarts: true,
      }),
    () =>
      store.updateRule(paymasterId, 'limit-1', {
        name,
        policyData: { ...policyData, threshold: '1.50' },
        restarts: false,
      }),
    () => store.setRuleActive(paymasterId, 'limit-1', false),
    () => store.createWebhook(webhook()),
    () => store.setWebhookUrl(paymasterId, webhook().webhookId, 'https://new.example/'),
    () => store.setLowBalanceThreshold(paymasterId, 10n ** 30n),
    async () => store.replaceDappPolicy(scope, await store.settingsVersion(scope), wholePolicy('even')),
    async () => store.replaceDappPolicy(scope, await store.settingsVersion(scope), wholePolicy('odd')),
    () => store.deleteContract(paymasterId, wholePolicy('odd').contracts[0]?.address ?? lower),
    () => store.saveChain(chain),
    () => store.saveChain({ ...chain, price: null, bundler: 'http://127.0.0.1:2' }),
    () => store.removeChain(chainId),
    () => store.savePaymasterContract({ chainId, version: '1.1.0', address, checked: true }),
    () => store.saveSigner({ chainId, address }),
    () => store.saveSigner({ chainId, address: lower }),
    () => store.saveFeeToken(token),
    () => store.saveFeeToken({ ...token, preFund: false }),
    () => store.saveFeeToken({ ...token, address: lower }),
    () => store.removeFeeToken(chainId, address),
    () => store.savePause({ since: 1, reason: 'Lunch' }),
    () => store.savePause({ since: 1, reason: null }),
    () => store.savePause(null),
    () => store.saveDappPause(paymasterId, { since: 1_700_000_000_000, reason: null }),
    () => store.saveDappPause(paymasterId, null),
    () => store.saveOperatorTransaction(withdrawal()),
    () => store.saveOperatorTransaction({ ...withdrawal(), state: 'mined', blockNumber: 7 }),
    () => store.removeOperatorTransaction(withdrawal().transactionId),
    () => store.saveNotificationWebhook('https://example.com/a'),
    () => store.saveNotificationAttempt({ attemptedAt: 7, error: 'It is down.' }),
    () => store.saveNotificationWebhook(null),
  ];
  await store.logChanges();
  const told: unknown[] = [];
  for (const change of changes) {
    const from = await store.logSize();
    await change();
    await store.logChanges();
    const lines = await store.logLines({ from, limit: 100 });
    told.push([String(change), ...lines.map(({ text }) => bodyOf(text))]);
  }
  return told;
};
