import { expect, test } from 'vitest';
import { changeWords, whoWords } from './change-words.ts';
import type { Change } from './entry.ts';

const names = {
  dapp: (id: string) => (id === 'd1' ? 'Game' : undefined),
  chain: (chainId: number) => `chain ${chainId}`,
  account: (id: string) => (id === 'a1' ? 'Studio' : undefined),
};

const said = (subject: string, id: string, before: unknown, after: unknown): string => {
  const { what, dapp, did } = changeWords({ subject, id, before, after } satisfies Change, names);
  return [what, dapp && `“${dapp.name}”`, did].filter(Boolean).join(' ');
};

const rule = { dapp: 'd1', name: 'Per user', type: 'PAYMASTER_SA_LIMIT', active: 1, cycle: 0, data: { threshold: 5 } };
const dapp = { name: 'Game', chainId: 1, allowedOrigins: [], apiKeyFingerprint: '0a1b2c3d' };

test.each([
  ['rule', 'r1', null, rule, 'Rule “Per user” of DApp “Game” added'],
  [
    'rule',
    'r1',
    rule,
    { ...rule, cycle: 1, data: { threshold: 6 } },
    'Rule “Per user” of DApp “Game” changed: cycle, threshold',
  ],
  ['rule', 'r1', rule, { ...rule, active: 0 }, 'Rule “Per user” of DApp “Game” paused'],
  ['rule', 'r1', { ...rule, active: 0 }, rule, 'Rule “Per user” of DApp “Game” resumed'],
  ['rule', 'r1', rule, null, 'Rule “Per user” of DApp “Game” removed'],
  ['rule', 'r1', null, { ...rule, dapp: 'gone' }, 'Rule “Per user” of DApp “gone” added'],
  ['contract', 'c1', null, { dapp: 'd1', name: 'Items', address: '0x1' }, 'Contract “Items” of DApp “Game” added'],
  ['webhook', 'w1', { dapp: 'd1', url: 'https://x.example/' }, null, 'Webhook of DApp “Game” removed'],
  ['dapp', 'd1', null, dapp, 'DApp “Game” registered'],
  [
    'dapp',
    'd1',
    dapp,
    { ...dapp, name: 'Games', allowedOrigins: ['https://x.example'] },
    'DApp “Games” changed: name, allowed origins',
  ],
  [
    'dapp',
    'd1',
    dapp,
    { ...dapp, lowBalanceThresholdWei: '20000000000000000' },
    'DApp “Game” changed: low balance threshold',
  ],
  ['dapp', 'gone', { ...dapp, name: 'Old' }, null, 'DApp “Old” removed'],
  ['pause', 'desk', null, { since: 1, reason: '' }, 'Sponsorship of all DApps paused'],
  ['pause', 'd1', { since: 1, reason: '' }, null, 'Sponsorship of DApp “Game” resumed'],
  ['pause', 'd1', { since: 1, reason: '' }, { since: 1, reason: 'x' }, 'Sponsorship of DApp “Game” changed: reason'],
  ['account', 'a1', null, { name: 'Studio' }, 'Account “Studio” added'],
  ['authToken', 't1', null, { account: 'a1', label: 'backend', revokedAt: null }, 'Auth token “backend” created'],
  [
    'authToken',
    't1',
    { account: 'a1', label: 'backend', revokedAt: null },
    { account: 'a1', label: 'backend', revokedAt: 5 },
    'Auth token “backend” revoked',
  ],
  ['chain', '31337', { name: null, rpc: 'a' }, { name: null, rpc: 'b' }, 'Settings of chain 31337 changed: RPC'],
  ['signer', '31337', null, { address: '0x1' }, 'Signing key of chain 31337 set'],
  ['signer', '31337', { address: '0x1' }, { address: '0x2' }, 'Signing key of chain 31337 changed'],
  ['paymasterContract', '31337 1.1.0', { address: '0x1' }, null, 'Paymaster contract 1.1.0 of chain 31337 removed'],
  ['feeToken', '31337 0x1', null, { symbol: 'USDC' }, 'Token “USDC” of chain 31337 added'],
  ['transaction', 'x1', null, { summary: 'Deposit 1 ETH', state: 'sent' }, 'Transaction “Deposit 1 ETH” added'],
  ['notificationWebhook', 'desk', null, { url: 'https://x.example/' }, 'Notification webhook set'],
  ['setting', 'rateLimitPerKey', 60, 90, 'Setting rateLimitPerKey changed'],
  ['keystore', '0x1', null, 'deployer', 'Local key “deployer” added'],
  ['keystore', '0x1', 'kept', 'exported', 'Local key 0x1 exported'],
  ['keystore', '0x1', 'kept', null, 'Local key 0x1 removed'],
  ['vault', 'passphrase', null, 'set again', 'Vault created'],
  ['vault', 'passphrase', 'set', 'set again', 'Passphrase of the vault changed'],
  ['secret', 'signer:31337', null, 'set again', 'Secret signer:31337 of the vault set'],
  ['secret', 'webhook.b6e795b9.url', null, 'set again', 'URL of a webhook stored in the vault'],
  ['secret', 'webhook.b6e795b9.url', 'set', 'set again', 'URL of a webhook changed'],
  ['secret', 'webhook.b6e795b9.url', 'set', null, 'URL of a webhook removed from the vault'],
  ['secret', 'webhook.notifications.url', null, 'set again', 'URL of the notification webhook stored in the vault'],
  ['secret', 'alert.b6e795b9.url', 'set', null, 'URL for alerts removed from the vault'],
  ['desk', 'b', { deskId: 'a' }, { deskId: 'b', backedUpAt: 0 }, 'Backup restored'],
  ['gizmo', 'g1', 1, 2, 'gizmo g1 changed'],
])('%s %s: a change is a sentence', (subject, id, before, after, sentence) => {
  expect(said(subject, id, before, after)).toBe(sentence);
});

test('the author of a change is named by the way in', () => {
  expect(whoWords({ via: 'console', by: 'operator' }, names)).toBe('Console, operator');
  expect(whoWords({ via: 'cli', by: 'operator' }, names)).toBe('Command line');
  expect(whoWords({ via: 'http', by: 'a1' }, names)).toBe('Auth token of account Studio');
  expect(whoWords({ via: 'http', by: 'gone' }, names)).toBe('Auth token of account gone');
  expect(whoWords({ via: 'engine', by: 'engine' }, names)).toBe('Gasdesk itself');
  expect(whoWords({ via: 'telegraph', by: 'x' }, names)).toBe('telegraph, x');
});
