import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Secret } from '../base/secret.ts';
import type { Vault } from '../signer/vault.ts';
import type { ChainState } from '../store/registry-store.ts';
import { carriesCredentials, createChainAccess, vaultUrlName, withoutCredentials } from './chain-access.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A node that gives this answer to every request. */
const node = async (answer: object): Promise<string> => {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { id } = body as { id: number };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const access = (
  rpc: Readonly<Record<number, string>>,
  vault: Pick<Vault, 'state' | 'get'>,
  clock = new ManualClock(),
) => {
  const findChain = async (chainId: number): Promise<ChainState | undefined> => {
    const url = rpc[chainId];
    return url === undefined
      ? undefined
      : {
          chainId,
          name: null,
          symbol: null,
          rpc: url,
          bundler: null,
          treasury: null,
          breaker: null,
          unreachableBudgetWei: null,
          maxOperationCostWei: null,
          forwardBundler: null,
          price: null,
          gasSchedule: null,
          gasScheduleReading: null,
        };
  };
  return createChainAccess({ findChain }, vault as Vault, 2_000, undefined, undefined, clock);
};
const locked = { state: 'locked' as const, get: () => undefined };

describe('reaching a chain', () => {
  const blockNumber = async (chains: ReturnType<typeof access>, chainId: number): Promise<unknown> =>
    (await chains.rpc(chainId))?.send('eth_blockNumber', []);

  it('refuses a node of another chain, also when the same URL was right for the chain it is of', async () => {
    const url = await node({ result: '0x1' });
    const chains = access({ 1: url, 137: url }, locked);
    expect(await blockNumber(chains, 1)).toBe('0x1');
    await expect(blockNumber(chains, 137)).rejects.toMatchObject({
      code: 'PAYMASTER_NOT_READY',
      message: expect.stringContaining('The node at the RPC URL of chain 137 belongs to chain 1'),
    });
    expect(await blockNumber(chains, 1)).toBe('0x1');
  });

  it('refuses a node once its URL leads to another chain, until it leads back', async () => {
    const answer = { result: '0x1' };
    const clock = new ManualClock();
    const chains = access({ 1: await node(answer) }, locked, clock);
    expect(await blockNumber(chains, 1)).toBe('0x1');
    answer.result = '0x89';
    await clock.advance(60_000);
    const requests = [blockNumber(chains, 1), blockNumber(chains, 1)];
    for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected');
    await expect(blockNumber(chains, 1)).rejects.toMatchObject({
      code: 'PAYMASTER_NOT_READY',
      message: expect.stringContaining('The node at the RPC URL of chain 1 belongs to chain 137'),
    });
    answer.result = '0x1';
    expect(await blockNumber(chains, 1)).toBe('0x1');
  });

  it('says what the provider says of the key in the URL, instead of an internal error', async () => {
    const chains = access({ 1: await node({ error: { code: -32000, message: 'invalid project id' } }) }, locked);
    await expect(blockNumber(chains, 1)).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
      message: 'The node of chain 1 did not return its chain id: invalid project id',
    });
  });

  it('keeps one client for each chain, and only as long as its URL', async () => {
    const urls: Record<number, string> = { 1: 'http://127.0.0.1:1', 137: 'http://127.0.0.1:1' };
    const chains = access(urls, locked);
    const first = await chains.rpc(1);
    expect(await chains.rpc(1)).toBe(first);
    expect(await chains.rpc(137)).not.toBe(first);
    urls[1] = 'http://127.0.0.1:2';
    expect((await chains.rpc(1))?.url).toBe(urls[1]);
    urls[1] = 'http://127.0.0.1:1';
    expect(await chains.rpc(1)).not.toBe(first);
  });

  it('has no client where no URL is set', async () => {
    expect(await access({}, locked).rpc(1)).toBeUndefined();
    expect(await access({}, locked).bundler(1)).toBeUndefined();
  });

  it('takes the whole URL from the vault, and says so when the vault is locked', async () => {
    const url = `${await node({ result: '0x1' })}/?key=secret`;
    const shown = { 1: withoutCredentials(url) };
    await expect(access(shown, locked).rpc(1)).rejects.toMatchObject({
      code: 'VAULT_LOCKED',
      message: expect.stringMatching(/rpc URL of chain 1 .* GASDESK_PASSPHRASE/),
      data: { fix: expect.stringContaining('GASDESK_PASSPHRASE') },
    });
    const get = (name: string) => (name === vaultUrlName(1, 'rpc') ? new Secret(url) : undefined);
    expect((await access(shown, { state: 'unlocked', get }).rpc(1))?.url).toBe(url);
  });
});

describe('finding out whether a URL carries credentials', () => {
  it.each([
    ['https://user:pass@rpc.example.com', true],
    ['https://user@127.0.0.1:8545', true],
    ['https://rpc.example.com/v2/key', true],
    ['https://rpc.example.com/?key=1', true],
    ['http://localhost:8545/?key=1', true],
    ['https://127.example.com/key', true],
    ['https://127.0.0.1.example.com/key', true],
    ['https://rpc.example.com', false],
    ['https://rpc.example.com/', false],
    ['http://127.0.0.1:8545/chain/1', false],
    ['http://[::1]:8545/chain/1', false],
    ['http://localhost:8545/chain/1', false],
  ])('%s: %s', (url, expected) => {
    expect(carriesCredentials(url)).toBe(expected);
  });
});
