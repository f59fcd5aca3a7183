import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { findAnvil, startLocalChain } from '../../src/demo/local-chain.ts';

const noPackage = (): undefined => undefined;

const call = async (url: string, method: string): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: unknown }).result;
};

test('a chain starts with the given chain id, next to others, and is gone after stop', async () => {
  const [one, other] = await Promise.all([startLocalChain(), startLocalChain({ chainId: 4242 })]);
  try {
    expect(one.chainId).toBe(31337);
    expect(await call(one.url, 'eth_chainId')).toBe('0x7a69');
    expect(await call(other.url, 'eth_chainId')).toBe('0x1092');
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
  await expect(call(one.url, 'eth_chainId')).rejects.toThrow('fetch failed');
});

test('a port that is taken is said, not waited for', async () => {
  const chain = await startLocalChain();
  try {
    await expect(startLocalChain({ port: Number(new URL(chain.url).port) })).rejects.toThrow(/did not start.*in use/s);
  } finally {
    await chain.stop();
  }
});

test('no chain is left behind when the process that started it is killed', async () => {
  const module = JSON.stringify(new URL('../../src/demo/local-chain.ts', import.meta.url).href);
  const script = `console.log((await (await import(${module})).startLocalChain()).url)`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined); // a reset is as good an end as any
  const closed = new Promise((resolve) => socket.once('close', resolve));
  parent.kill('SIGKILL');
  await closed;
  await expect(call(url, 'eth_chainId')).rejects.toThrow('fetch failed');
});

test('an operator without anvil learns how to get one', () => {
  expect(() => findAnvil({ PATH: '/nowhere' }, noPackage)).toThrow(/npm install @foundry-rs\/anvil-.*GASDESK_ANVIL/);
});

test('GASDESK_ANVIL wins, and a wrong one is an error rather than passed over', () => {
  expect(findAnvil({ GASDESK_ANVIL: process.execPath })).toBe(process.execPath);
  expect(() => findAnvil({ GASDESK_ANVIL: '/nowhere/anvil' })).toThrow('/nowhere/anvil');
  expect(() => findAnvil({ GASDESK_ANVIL: import.meta.dirname })).toThrow('not an executable file');
});
