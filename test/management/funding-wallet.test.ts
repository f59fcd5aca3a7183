import { Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { type TestDapp, useDesk } from '../support/desk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { named } from './fixtures.ts';

const clock = new ManualClock();
const desk = useDesk({ clock });
const MINUTE = 60_000;
const refused = { statusCode: 400, message: 'Invalid signature' };
const wallet = Wallet.createRandom();

/** A DApp and the steps of its funding wallet's change. */
const tank = async () => {
  const dapp = await desk().dapp();
  const { paymasterId, credentials: headers } = dapp;
  const request = async (path = '/funding-message'): Promise<string> =>
    ((await desk().manage('GET', path, { headers })).data as { fundingMessage: string }).fundingMessage;
  const change = (signature: unknown, address = wallet.address) =>
    desk().manage('PATCH', '/paymaster', {
      headers,
      body: { paymasterId, type: 'paymasterFundingId', signature, address },
    });
  return { dapp, request, change, fundingWallet: () => fundingWallet(dapp) };
};

const fundingWallet = async ({ paymasterId }: TestDapp): Promise<string | null | undefined> =>
  (await desk().service.run('paymasters.list', {})).find((one) => one.paymasterId === paymasterId)?.fundingWallet;

test('the message has its time, says what signing does, and is different each time', async () => {
  const { dapp, request } = await tank();
  const messages = [await request(), await request(`/funding-message/${dapp.paymasterId}`)];
  for (const message of messages) {
    const [timestamp, sentence, nonce, ...rest] = message.split('\n');
    expect(timestamp).toBe(`Timestamp: ${new Date(clock.now()).toISOString()}`);
    expect(sentence).toMatch(/gas tank.*not a transaction.*no fee/);
    expect(nonce).toMatch(/^Nonce: [\w-]{16,}$/);
    expect(rest).toEqual([]);
  }
  expect(messages[0]).not.toBe(messages[1]);
});

test('the message of one DApp is not given to the key of another', async () => {
  const { dapp } = await tank();
  const { dapp: other } = await tank();
  const before = desk().rows();
  const answer = await desk().manage('GET', `/funding-message/${other.paymasterId}`, { headers: dapp.credentials });
  expect(answer).toEqual({ statusCode: 404, message: 'Paymaster not found' });
  expect(desk().rows()).toEqual(before);
});

test.each([
  [10 * MINUTE, true],
  [10 * MINUTE + 1, false],
])('a signature that comes %i ms after the message: accepted %s', async (later, accepted) => {
  const { request, change, fundingWallet: current } = await tank();
  const signature = await wallet.signMessage(await request());
  await clock.advance(later);
  const answer = await change(signature);
  if (accepted) expect(answer.statusCode).toBe(200);
  else expect(answer).toEqual(refused);
  expect(await current()).toBe(accepted ? wallet.address : null);
});

test('a signature changes the wallet once; repeating it changes nothing', async () => {
  const { request, change } = await tank();
  const signature = await wallet.signMessage(await request());
  expect((await change(signature)).statusCode).toBe(200);
  expect(await change(signature)).toEqual(refused);
});

test('of simultaneous changes with the same signature exactly one succeeds, and one is recorded', async () => {
  const { dapp, request, change } = await tank();
  const signature = await wallet.signMessage(await request());
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => change(signature)));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400, 400, 400]);
  const changes = desk().rows()['funding_wallet_change']!;
  expect(changes.filter((row) => row.includes(dapp.paymasterId))).toHaveLength(1);
});

test('only the newest message counts', async () => {
  const { request, change, fundingWallet: current } = await tank();
  const older = await wallet.signMessage(await request());
  const newer = await wallet.signMessage(await request());
  expect(await change(older)).toEqual(refused);
  expect(await current()).toBeNull();
  // A wrong try does not use the message up.
  expect((await change(newer)).statusCode).toBe(200);
});

test('without a message there is nothing to sign', async () => {
  const { request, change } = await tank();
  const message = await request();
  await change(await wallet.signMessage(message));
  expect(await change(await wallet.signMessage(message))).toEqual(refused);
  expect(await change(await wallet.signMessage(''))).toEqual(refused);
});

test('a message that was changed, or issued to another DApp, links no wallet', async () => {
  const { request, change, fundingWallet: current } = await tank();
  const other = await tank();
  const message = await request();
  for (const signed of [
    `${message} `,
    message.trimEnd().slice(0, -1),
    message.replace('Timestamp', 'timestamp'),
    await other.request(),
  ]) {
    expect(await change(await wallet.signMessage(signed))).toEqual(refused);
  }
  expect(await current()).toBeNull();
});

test('a signature by another key than that of the address links no wallet', async () => {
  const { request, change, fundingWallet: current } = await tank();
  const signature = await Wallet.createRandom().signMessage(await request());
  expect(await change(signature)).toEqual(refused);
  expect(await current()).toBeNull();
});

test.each(
  named([
    '',
    '0x',
    'garbage',
    '0xzz',
    `0x${'00'.repeat(65)}`,
    `0x${'ff'.repeat(65)}`,
    `0x${'11'.repeat(64)}`,
    `0x${'11'.repeat(66)}`,
    '\u0000',
    '\ud800',
    'x'.repeat(1_000_000),
    `0x${'11'.repeat(400_000)}`,
  ]),
)('garbage for a signature, %s, links no wallet', async (_shown, signature) => {
  const { request, change, fundingWallet: current } = await tank();
  await request();
  expect(await change(signature)).toEqual(refused);
  expect(await current()).toBeNull();
});

test('the address may be written in any letter case, the signature compactly (EIP-2098)', async () => {
  const { request, change } = await tank();
  const { Signature } = await import('ethers');
  for (const address of [wallet.address.toLowerCase(), `0x${wallet.address.slice(2).toUpperCase()}`]) {
    const signature = await wallet.signMessage(await request());
    expect((await change(Signature.from(signature).compactSerialized, address)).statusCode).toBe(200);
  }
});

test('a key cannot change the wallet of another DApp, even with the right signature', async () => {
  const { request, dapp, fundingWallet: current } = await tank();
  const other = await tank();
  const signature = await wallet.signMessage(await request());
  const answer = await desk().manage('PATCH', '/paymaster', {
    headers: other.dapp.credentials,
    body: { paymasterId: dapp.paymasterId, type: 'paymasterFundingId', signature, address: wallet.address },
  });
  expect(answer).toEqual({ statusCode: 404, message: 'Paymaster not found' });
  expect([await current(), await other.fundingWallet()]).toEqual([null, null]);
});
