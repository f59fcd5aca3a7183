import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeAddress } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployEntryPoint, devWallet } from '../../src/demo/world-contracts.ts';
import { version } from '../../src/engine/base/version.ts';
import type { Engine } from '../../src/engine/index.ts';
import { type CliResult, gasdesk } from '../support/cli.ts';
import { result, text, withNode } from '../support/odd-node.ts';
import { useLocalChain } from '../support/local-chain.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

/** Keys of well-known accounts that are rich on every local chain; two, since their transactions are numbered. */
const RICH_KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const fill = async ({ service }: Engine, rpc: string) => {
  const [account] = await service.call('accounts.list', {});
  const dapp = { accountId: account!.accountId, name: 'Game', type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  const { paymasterId, apiKey } = await service.call('paymasters.create', dapp);
  const hook = { paymasterId, webhookUrl: 'https://example.com/verify', requestType: 'POST' };
  const { webhookId } = await service.call('webhooks.create', hook);
  // Refused before anything is sent.
  const policyData = { url: 'http://169.254.169.254/rule' };
  const rule = { name: 'Ask', policyType: 'WEBHOOK', policyData };
  const { _id: ruleId } = await service.call('rules.create', { paymasterId, rule });
  await service.call('chains.set', { chainId: 31337, rpc });
  const userOperation = {
    sender: `0x${'11'.repeat(20)}`,
    nonce: '0x0',
    callData: '0x',
    maxFeePerGas: '0x1',
    maxPriorityFeePerGas: '0x1',
  };
  const request = {
    apiKey,
    chainId: 31337,
    method: 'pm_sponsorUserOperation',
    userOperation,
    options: { mode: 'SPONSORED' },
    // A control sequence that JSON does not escape.
    received: [userOperation, { mode: 'SPONSORED', webhookData: { note: '\u009b31mred' } }],
  };
  // Nothing is attached yet: the decision that is stored says so.
  await expect(service.call('sponsorship.sponsor', request)).rejects.toMatchObject({ code: 'PAYMASTER_NOT_READY' });
  const [decision] = await service.call('decisions.list', {});
  return { paymasterId, webhookId, ruleId, decisionId: decision!.id };
};

// A test starts up to ten processes; on a busy machine each may take seconds.
const chain = useLocalChain();
beforeAll(() => deployEntryPoint(devWallet(2, chain().provider)));
const tempFolder = useTempFolders();
const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

/** A desk of the test alone with a DApp, a webhook and a decision; with an engine that serves it, or with none. */
const openDesk = async (served: boolean) => {
  const dir = tempFolder();
  const engine = await quickEngine(dir);
  const ids = await fill(engine, chain().url);
  if (served) {
    await engine.serve();
    engines.push(engine);
  } else await engine.stop();
  const env = served ? {} : { GASDESK_PASSPHRASE: PASSPHRASE };
  const run = (...args: string[]): Promise<CliResult> => gasdesk([...args, '--data', dir], env);

  /** Runs a command for a program: one JSON document on stdout, nothing on stderr. */
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stdout) as T;
  };
  const keyFile = (key: string): string => {
    const path = join(dir, 'key of the test');
    writeFileSync(path, `${key}\n`);
    return path;
  };

  /** Runs a command for a person, who is not to be shown JSON. */
  const human = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(() => JSON.parse(stdout) as unknown, stdout).toThrow();
    return stdout;
  };

  return { ...ids, run, json, human, keyFile };
};

describe.concurrent.each([
  ['on the files', false],
  ['through the engine that runs', true],
])('every command %s', (_way, served) => {
  it('account create and list: the new account is next to the first one', async () => {
    const { json } = await openDesk(served);
    const made = await json<{ accountId: string }>('account', 'create', '--name', 'Second studio');
    expect(made).toMatchObject({ accountId: expect.stringMatching(UUID), name: 'Second studio' });
    const accounts = await json<unknown[]>('account', 'list');
    expect(accounts).toEqual([expect.objectContaining({ name: 'Operator' }), made]);
  });

  it('token create, list and revoke: the token itself is shown once', async () => {
    const { json } = await openDesk(served);
    const made = await json<{ tokenId: string; authToken: string }>('token', 'create', '--label', 'CI');
    expect(made.authToken).toMatch(/^gd_[\w-]{43}$/);
    const [listed] = await json<unknown[]>('token', 'list');
    expect(listed).toMatchObject({ tokenId: made.tokenId, label: 'CI', revokedAt: null });
    expect(JSON.stringify(listed)).not.toContain(made.authToken);
    expect(await json('token', 'revoke', made.tokenId)).toMatchObject({ revokedAt: expect.any(Number) });
  });

  it('token create: for one DApp, for reading, until a time', async () => {
    const { json, run, paymasterId } = await openDesk(served);
    const ofDapp = await json('token', 'create', '--label', 'shop', '--dapp', paymasterId, '--expires', 'never');
    expect(ofDapp).toMatchObject({ scope: 'dapp', paymasterId, expiresAt: null });
    const until = ['--expires', '2126-01-31T14:30:00Z'];
    const reader = await json<{ tokenId: string }>('token', 'create', '--label', 'reports', ...until);
    const expiresAt = Date.UTC(2126, 0, 31, 14, 30);
    expect(reader).toMatchObject({ scope: 'read', paymasterId: null, expiresAt });
    const listed = { tokenId: reader.tokenId, scope: 'read', paymasterId: null, expiresAt, lastUsedAt: null };
    expect(await json('token', 'list')).toContainEqual(expect.objectContaining(listed));
    expect(await run('token', 'create', '--label', 'none', '--scope', 'dapp')).toMatchObject({
      code: 2,
      stderr: 'gasdesk: The scope dapp needs a DApp. Give its paymasterId\n',
    });
  });

  it('api-key create, list and revoke: the DApp keeps the last one', async () => {
    const { json, run, paymasterId } = await openDesk(served);
    const ofDapp = ['--dapp', paymasterId];
    const [first] = await json<{ keyId: string; label: string }[]>('api-key', 'list', ...ofDapp);
    expect(first).toMatchObject({ label: 'first', revokedAt: null });
    const made = await json<{ keyId: string; apiKey: string }>('api-key', 'create', ...ofDapp, '--label', 'Web');
    expect(made).toMatchObject({ label: 'Web', paymasterId });
    const [shown] = (await json<{ paymasterId: string; apiKey: string }[]>('dapp', 'list')).filter(
      (dapp) => dapp.paymasterId === paymasterId,
    );
    expect(shown!.apiKey).toBe(made.apiKey);
    const revoked = await json('api-key', 'revoke', first!.keyId, ...ofDapp);
    expect(revoked).toMatchObject({ keyId: first!.keyId, revokedAt: expect.any(Number) });
    expect(await run('api-key', 'revoke', made.keyId, ...ofDapp)).toMatchObject({
      code: 1,
      stderr: 'gasdesk: This is the only API key of the DApp. Create another one before you revoke it\n',
    });
  });

  it('pause and resume: nothing is sponsored in between, by any interface', async () => {
    const { json, human } = await openDesk(served);
    const paused = await json('pause', '--reason', 'Key rotation');
    expect(paused).toEqual({ paused: true, since: expect.any(Number), reason: 'Key rotation' });
    expect(await human('pause')).toContain('Key rotation');
    expect(await json('resume')).toEqual({ paused: false });
  });

  it('pause, resume and dapp expiry: the list shows what is in force', async () => {
    const { json, run, paymasterId } = await openDesk(served);
    const paused = { since: expect.any(Number) as number, reason: 'Too much' };
    const ofOne = ['--dapp', paymasterId];
    expect(await json('pause', ...ofOne, '--reason', 'Too much')).toEqual({ paymasterId, paused: true, ...paused });
    await json('dapp', 'expiry', paymasterId, '--most', '7200');
    expect(await json('dapp', 'list')).toMatchObject([{ paymasterId, maxExpirySeconds: 7_200, paused }]);
    expect(await json('resume', ...ofOne)).toEqual({ paymasterId, paused: false });
    expect(await json('dapp', 'list')).toMatchObject([{ paymasterId, paused: null }]);
    expect((await run('dapp', 'expiry', paymasterId, '--most', '86401')).code).toBe(2);
    expect((await run('pause', '--dapp', 'nobody')).code).toBe(1);
  });

  it('fails with exit code 1 and one line for what there is not', async () => {
    const { run } = await openDesk(served);
    expect(await run('token', 'revoke', 'nothing', '--json')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'gasdesk: No auth token has the name or id "nothing", or an id that begins with it. See: gasdesk token list\n',
    });
  });

  it('webhook list and secret: what its receiver needs to check a signature', async () => {
    const { json, paymasterId, webhookId } = await openDesk(served);
    const [hook] = await json<unknown[]>('webhook', 'list');
    expect(hook).toMatchObject({ webhookId, paymasterId, dapp: 'Game', active: true });
    const secret = expect.stringMatching(/^whsec_[\w+/]{43}=$/);
    expect(await json('webhook', 'secret', webhookId)).toEqual({ webhookId, secret });
  });

  it('webhook test: what is sent, what comes back, and what that means', async () => {
    const { json, run, ruleId } = await openDesk(served);
    const operation = ['--webhook-data', '{"user":"ann"}', '--user-op', '{"nonce":"0x1"}'];
    expect(await json('webhook', 'test', ruleId, ...operation)).toMatchObject({
      outcome: 'deny',
      code: 'WEBHOOK_ADDRESS_REFUSED',
      hint: expect.any(String),
      request: { body: '{"data":{"user":"ann"},"userOp":{"nonce":"0x1"}}' },
    });
    expect((await run('webhook', 'test', ruleId, '--webhook-data', '[]')).code).toBe(2);
  });

  it('chain remove: what a DApp stands on is kept, unless it is forced; doctor then says what to do', async () => {
    const { run, json } = await openDesk(served);
    const contract = ['--chain', '31337', '--version', '1.1.0', '--address', `0x${'12'.repeat(20)}`];
    const [before] = await json<{ chainId: number; rpc: string | null }[]>('chain', 'list').then((chains) =>
      chains.filter(({ chainId }) => chainId === 31337),
    );
    expect(await run('chain', 'remove', '31337')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^gasdesk: Chain 31337 still has \d DApps?\b.*Use --force to remove it anyway\.\n$/,
      ),
    });
    expect(await json('chain', 'list')).toContainEqual(before);
    expect(await json('chain', 'remove', '31337', '--force')).toEqual({ chainId: 31337, removed: true });
    await json('contract', 'use', ...contract);
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: object[] };
    expect(checks).toContainEqual({
      name: 'contract 1.1.0 on chain 31337',
      ok: false,
      detail: 'Unchecked: the chain has no RPC URL, so Gasdesk signs operations without checking fees and gas tank',
      fix: 'Run "gasdesk chain set 31337 --rpc URL".',
    });
  });

  it('doctor: a chain that has only a price is no error until a DApp is on it', async () => {
    const { run, json } = await openDesk(served);
    await json('chain', 'set', '137', '--usd', '0.5');
    const ofChain = async () => {
      const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: { name: string }[] };
      return checks.filter(({ name }) => name === 'chain 137');
    };
    const detail = 'Not used: it has no RPC URL, and no DApp';
    expect(await ofChain()).toEqual([{ name: 'chain 137', ok: true, detail, fix: '' }]);
    await json('dapp', 'create', '--name', 'Other', '--chain', '137');
    expect(await ofChain()).toEqual([expect.objectContaining({ ok: false })]);
  });

  it('log: what the service wrote, or none where none runs', async () => {
    const { json } = await openDesk(served);
    expect(await json('log', '--level', 'warn')).toEqual([]);
  });

  it('chain set, list and remove: what is not given stays', async () => {
    const { run, json } = await openDesk(served);
    const fields = [
      '--rpc',
      'https://rpc.example.com',
      '--name',
      'Lucky',
      '--symbol',
      'LUK',
      '--treasury',
      `0x${'7e'.repeat(20)}`,
      '--breaker',
      '0.5/90m',
      '--max-operation-cost',
      '0.05',
    ];
    const set = await json<object>('chain', 'set', '777', ...fields);
    const treasury = `0x${'7e'.repeat(20)}`;
    const known = {
      treasury,
      chainId: 777,
      name: 'Lucky',
      symbol: 'LUK',
      rpc: 'https://rpc.example.com',
      explorer: null,
      builtIn: false,
      breaker: { amountWei: '500000000000000000', seconds: 5_400 },
      unchecked: false,
      unreachable: null,
      maxOperationCostWei: '50000000000000000',
      breakerAmountWei: '500000000000000000',
      defaultMaxOperationCostWei: '100000000000000000',
      price: null,
      forwardBundler: null,
      gasSchedule: { name: 'prague', source: 'assumed', next: null },
    };
    expect(set).toEqual({ ...known, bundler: null, nodeAnswers: false });
    const again = { ...known, bundler: 'https://bundler.example.com' };
    expect(await json('chain', 'set', '777', '--bundler', again.bundler)).toEqual({ ...again, bundlerAnswers: false });
    expect(await json('chain', 'list')).toContainEqual(again);
    const columns = (await run('chain', 'list')).stdout.split('\n')[0]!.split(/ {2,}/);
    expect(columns).toEqual([...new Set(columns)]);
    expect(columns).toEqual(expect.arrayContaining(['breaker', 'breaker amount']));
    expect(await json('chain', 'set', '777', '--breaker', 'off')).toEqual({
      ...again,
      breaker: null,
      breakerAmountWei: null,
    });
    await json('chain', 'set', '777', '--breaker', '0.5/90m');
    const budget = ['--unreachable', 'sign', '--unreachable-budget', '0.05'];
    const unreachable = { budgetWei: '50000000000000000', signedWei: '0', since: null };
    expect(await json('chain', 'set', '777', ...budget)).toEqual({ ...again, unreachable });
    expect(await json('chain', 'set', '777', '--name', 'Lucky')).toEqual({ ...again, unreachable });
    expect(await json('chain', 'set', '777', '--unreachable', 'refuse')).toEqual(again);
    const byPrices = await json('chain', 'set', '777', '--max-operation-cost', 'default');
    expect(byPrices).toEqual({ ...again, maxOperationCostWei: null });
    await json('chain', 'set', '777', '--max-operation-cost', '0.05');
    const forwarding = await json('chain', 'set', '777', '--forward-bundler', 'own');
    expect(forwarding).toEqual({ ...again, forwardBundler: 'own' });
    await json('chain', 'set', '777', '--forward-bundler', 'off');
    const priced = await json('chain', 'set', '777', '--usd', '3000.50');
    expect(priced).toEqual({ ...again, price: { source: 'static', usd: '3000.5' } });
    const nativeFeed = `0x${'fe'.repeat(20)}`;
    expect(await json('chain', 'set', '777', '--native-feed', nativeFeed, '--max-age', '3600')).toEqual({
      ...again,
      price: { source: 'chainlink', nativeFeed, maxAge: 3_600 },
    });
    expect(await json('chain', 'set', '777', '--usd', 'off')).toEqual(again);
    expect(await json('chain', 'remove', '777')).toEqual({ chainId: 777, removed: true });
    expect(await json('chain', 'list')).not.toContainEqual(again);
  });

  it('signer create, import and list: by address, the keys are never shown', async () => {
    const { json, keyFile } = await openDesk(served);
    const key = `0x${'42'.repeat(32)}`;
    const made = await json('signer', 'create', '--chain', '1');
    expect(made).toEqual({ chainId: 1, address: expect.stringMatching(/^0x[\da-fA-F]{40}$/) });
    const imported = await json('signer', 'import', '--chain', '137', '--private-key-file', keyFile(key));
    expect(imported).toEqual({ chainId: 137, address: computeAddress(key) });
    expect(await json('signer', 'list')).toEqual(expect.arrayContaining([made, imported]));
  });

  it('fee-token set, list and remove: set again replaces it', async () => {
    const { json, run } = await openDesk(served);
    const address = `0x${'Ab'.repeat(20)}`;
    const [target, token] = [
      ['--chain', '777', '--address', address],
      ['--symbol', 'TT', '--decimals', '6'],
    ];
    await json('chain', 'set', '777');
    const fixed = { chainId: 777, address, symbol: 'TT', decimals: 6, preFund: true, logoUrl: null };
    const set = await json<object>('fee-token', 'set', ...target, ...token, '--premium', '13', '--rate', '3000.5');
    const known = { ...fixed, premium: '13', rate: { source: 'static', tokensPerCoin: '3000.5' } };
    expect(set).toEqual({ ...known, note: expect.stringContaining('One native coin is worth 3000.5 TT.') });
    expect(await json('fee-token', 'list')).toEqual([known]);
    const feeds = [
      '--native-feed',
      `0x${'01'.repeat(20)}`,
      '--token-feed',
      `0x${'02'.repeat(20)}`,
      '--max-age',
      '3600',
    ];
    await json('fee-token', 'set', ...target, ...token, '--premium', '2.5', ...feeds, '--pre-fund');
    expect(await json('fee-token', 'list', '--chain', '777')).toMatchObject([
      { premium: '2.5', rate: { source: 'chainlink', maxAge: 3600 }, preFund: true },
    ]);
    expect(await json('fee-token', 'list', '--chain', '778')).toEqual([]);
    expect(await json('fee-token', 'remove', ...target)).toEqual({ chainId: 777, address, removed: true });
    expect(await run('fee-token', 'remove', ...target)).toMatchObject({
      code: 1,
      stderr: 'gasdesk: Fee token not found\n',
    });
  });

  it('contract deploy, list and use, dapp list, doctor: from nothing to a DApp that lacks only its funding wallet', async () => {
    const { run, json, keyFile, paymasterId } = await openDesk(served);
    const target = ['--chain', '31337', '--version', '1.1.0'];
    const deploy = ['contract', 'deploy', ...target, '--from-key-file', keyFile(RICH_KEYS[served ? 1 : 0]!)];
    await expect(run(...deploy)).resolves.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('gasdesk signer create'),
    });

    const { address: signer } = await json<{ address: string }>('signer', 'create', '--chain', '31337');
    const { contract, ...deployed } = await json<{ contract: string }>(...deploy);
    expect(deployed).toMatchObject({ state: 'mined', outcome: `The contract ${contract} is deployed and attached.` });
    const attached = { chainId: 31337, version: '1.1.0', address: contract, checked: true };
    expect(await json('contract', 'use', ...target, '--address', contract)).toEqual({ ...attached, replaced: null });
    expect(await json('contract', 'list')).toEqual([attached]);
    expect(await json('dapp', 'list')).toMatchObject([
      { paymasterId, name: 'Game', contract, signer, fundingWallet: null, unchecked: false },
    ]);
    const report = await json<{ ok: boolean; checks: { name: string }[] }>('doctor');
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'database',
      'program',
      'data folder',
      'disk space',
      'vault',
      'backups',
      'clock',
      'log',
      'DApp Game',
      'chain 31337',
      'clock and chain 31337',
      'contract 1.1.0 on chain 31337',
    ]);
  });

  it('contract deploy: says what the node says', async () => {
    const { run, json, keyFile } = await openDesk(served);
    await json('signer', 'create', '--chain', '31337');
    const key = keyFile(`0x${'77'.repeat(32)}`);
    expect(
      await run('contract', 'deploy', '--chain', '31337', '--version', '1.1.0', '--from-key-file', key),
    ).toMatchObject({ code: 1, stderr: expect.stringMatching(/^gasdesk: Insufficient balance: .*\n$/) });
  });

  it('chain set: a node of another chain is refused with both numbers, and nothing is changed', async () => {
    const { run, json } = await openDesk(served);
    expect(await run('chain', 'set', '10', '--rpc', chain().url, '--name', 'Mistaken')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'gasdesk: The node at this URL serves chain 31337, not chain 10. Nothing was changed.\n',
    });
    const chains = await json<{ chainId: number; name: string; rpc: string | null }[]>('chain', 'list');
    expect(chains.find(({ chainId }) => chainId === 10)).toMatchObject({ rpc: null });
    expect(JSON.stringify(chains)).not.toContain('Mistaken');
  });

  it('chain set: a URL at which no node or bundler answers is stored, and the operator is warned', async () => {
    const { run, json } = await openDesk(served);
    const warning = /^gasdesk: The settings are stored, but no node answers .*gasdesk doctor\n$/;
    const warned = { code: 0, stdout: expect.stringContaining('127.0.0.1'), stderr: expect.stringMatching(warning) };
    expect(await run('chain', 'set', '10', '--bundler', 'http://127.0.0.1:1')).toEqual({
      ...warned,
      stderr: expect.stringMatching(/^gasdesk: The settings are stored, but no bundler answers .*gasdesk doctor\n$/),
    });
    expect(await run('chain', 'set', '10', '--rpc', 'http://127.0.0.1:1')).toEqual(warned);
    await withNode(text('<html>'), async (rpc) => {
      expect(await run('chain', 'set', '10', '--rpc', rpc)).toEqual(warned);
      expect(await json('chain', 'list')).toContainEqual(expect.objectContaining({ chainId: 10, rpc }));
    });
    await withNode(result(`0x${'12'.repeat(32)}`), async (rpc) => {
      expect(await run('chain', 'set', '10', '--rpc', rpc)).toEqual(warned);
    });
    const answering = await run('chain', 'set', '31337', '--rpc', chain().url);
    expect(answering).toMatchObject({ code: 0, stderr: '', stdout: expect.not.stringContaining('nodeAnswers') });
  });

  it.each(['rpc', 'bundler'])('chain set: a --%s of another chain is refused', async (kind) => {
    const { run, json } = await openDesk(served);
    const before = await json('chain', 'list');
    const { code, stderr } = await run('chain', 'set', '10', `--${kind}`, chain().url);
    const what = kind === 'rpc' ? 'node' : 'bundler';
    const refused = `gasdesk: The ${what} at this URL serves chain 31337, not chain 10. Nothing was changed.\n`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: refused });
    expect(await json('chain', 'list')).toEqual(before);
  });

  it('contract use: refuses an address that is no such contract, with both values', async () => {
    const { run } = await openDesk(served);
    await run('signer', 'create', '--chain', '31337');
    const args = ['--chain', '31337', '--version', 'verifying-0.6', '--address', `0x${'12'.repeat(20)}`];
    const { code, stdout, stderr } = await run('contract', 'use', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^gasdesk: The contract 0x1212.* cannot be used as verifying-0\.6: .*\n$/);
  });

  it('decisions list and show: a decision with its trace, and the same one by its id', async () => {
    const { json, paymasterId, decisionId } = await openDesk(served);
    const filter = ['--dapp', paymasterId, '--outcome', 'error', '--limit', '5'];
    const [decision, ...others] = await json<{ id: string }[]>('decisions', 'list', ...filter);
    expect(others).toEqual([]);
    expect(decision).toMatchObject({ id: decisionId, outcome: 'error', code: 'PAYMASTER_NOT_READY', trace: [] });
    expect(await json('decisions', 'show', decisionId)).toEqual(decision);
    expect(await json('decisions', 'list', '--outcome', 'denied')).toEqual([]);
  });
});

describe.concurrent('the commands for people', () => {
  it('print a list as a table under its column names, and an empty one as a word', async () => {
    const { human } = await openDesk(true);
    expect(await human('contract', 'list')).toBe('none\n');
    const [columns, row, ...others] = (await human('account', 'list')).trimEnd().split('\n');
    expect(columns).toMatch(/^account id +name +created at$/);
    expect(row!.indexOf('Operator')).toBe(columns!.indexOf('name'));
    expect(others).toEqual([]);
  });

  it('print one thing as a line per field', async () => {
    const { human } = await openDesk(true);
    expect(await human('token', 'create', '--label', 'CI')).toMatch(
      /^token id {4}\S+\naccount id {2}\S+\nlabel {7}CI\nscope {7}read\nDApp id {5}.*\nexpires at {2}.*\nauth token {2}gd_\S+\n$/,
    );
  });

  it('show what they are about', async () => {
    const { human, paymasterId, webhookId, decisionId } = await openDesk(true);
    const expected: [line: string, needle: string][] = [
      ['dapp list', paymasterId],
      ['webhook list', webhookId],
      [`webhook secret ${webhookId}`, 'whsec_'],
      ['chain list', chain().url],
      ['chain set 778 --name Other', 'Other'],
      ['signer create --chain 10', '0x'],
      ['decisions list', decisionId],
      [`decisions show ${decisionId}`, 'PAYMASTER_NOT_READY'],
    ];
    const texts = await Promise.all(expected.map(([line]) => human(...line.split(' '))));
    for (const [n, [line, needle]] of expected.entries()) expect(texts[n], line).toContain(needle);
  });

  it('do not let what a DApp sent steer the terminal', async () => {
    const { human, decisionId } = await openDesk(true);
    const text = await human('decisions', 'show', decisionId);
    expect(text).toContain('"note":"\u{fffd}31mred"');
    expect(text).not.toContain('\u009b');
  });

  it('end with the reason of a decision, whose request and facts fill a screen', async () => {
    const { human, decisionId } = await openDesk(true);
    expect(await human('decisions', 'show', decisionId)).toMatch(/\nmessage +No paymaster contract .*\nhint +\S.*\n$/);
  });

  it('print the OpenAPI description as JSON, since that is what it is', async () => {
    const { code, stdout } = await gasdesk(['openapi']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0' });
  });
});

describe.concurrent('doctor', () => {
  it('names a database that cannot be reached, without its password, and says what to do', async () => {
    const env = { GASDESK_DATABASE: 'postgres://desk:pa55word@127.0.0.1:1/gasdesk' };
    const report = await gasdesk(['doctor', '--data', tempFolder(), '--json'], env);
    const { ok, checks } = JSON.parse(report.stdout) as { ok: boolean; checks: object[] };
    const fix = expect.stringMatching(/postgres:\/\/desk@127\.0\.0\.1:1\/gasdesk runs/) as string;
    const detail = expect.stringContaining('ECONNREFUSED') as string;
    expect([report.code, ok, checks]).toEqual([1, false, [{ name: 'database', ok: false, detail, fix }]]);
  });

  it('exits 1 where something is wrong, and says how to mend it', async () => {
    const dir = tempFolder();
    const report = await gasdesk(['doctor', '--data', dir, '--json']);
    expect(report.code).toBe(1);
    const { ok, checks } = JSON.parse(report.stdout) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect([ok, checks.filter((check) => !check.ok)]).toEqual([
      false,
      [
        {
          name: 'vault',
          ok: false,
          detail: 'Not created yet',
          fix: expect.stringContaining('GASDESK_PASSPHRASE') as string,
        },
      ],
    ]);
    expect(checks[0]).toEqual({
      name: 'database',
      ok: true,
      detail: expect.stringMatching(/^OK, schema \d+$/) as string,
      fix: '',
    });
    // The tests run the sources; test/package compares the hash of a build.
    expect(checks[1]).toEqual({ name: 'program', ok: true, detail: `Version ${version}, not a build`, fix: '' });
    const text = await gasdesk(['doctor', '--data', dir]);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^ERROR +vault +Not created yet/m);
    expect(text.stdout).toMatch(/^warning +setup +Next: a chain +Run "gasdesk chain set CHAIN_ID --rpc URL"/m);
    expect(text.stdout).toMatch(/^warning +backups +None in .* +Run "gasdesk backup"/m);
  });
});
