import { once } from 'node:events';
import { request } from 'node:http';
import { HDNodeWallet } from 'ethers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { operation } from '../support/operations.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from '../support/engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';

/** What JSON.parse would make another number of: 2^53 + 1 for one, or null. */
const NUMBERS = ['9007199254740993', '-9007199254740995', '0.12345678901234567891', '1e400'];
const LIST = `[${NUMBERS.join(',')},7]`;
const DATA = `{"userId":${NUMBERS[0]},"list":${LIST},"params":{"user":${NUMBERS[0]}}}`;

const tempFolder = useTempFolders();
let dir: string;
let engine: ServingEngine;
let dapp: SponsoredDapp;
beforeAll(async () => {
  dir = tempFolder();
  engine = await startEngine({ dir });
  const chainId = 31337;
  const address = `0x${'cc'.repeat(20)}` as const;
  await engine.service.call('paymasterContracts.use', { chainId, version: '1.1.0', address });
  await engine.service.call('signers.create', { chainId });
  const fundingWallet = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk');
  dapp = await engine.dapp({ fundingWallet });
});
afterAll(() => engine.stop());

/** Posts a request as text and answers the text that comes back. */
const send = async (op: Record<string, unknown> | string, id = '1'): Promise<string> => {
  const sent = typeof op === 'string' ? op : JSON.stringify(op);
  const options = `{"mode":"SPONSORED","sponsorshipInfo":{"webhookData":${DATA}}}`;
  const response = await fetch(`${engine.url}/api/v1/31337/${dapp.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":${id},"method":"pm_sponsorUserOperation","params":[${sent},${options}]}`,
  });
  return response.text();
};
const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });

/** The next decision as `/events` sends it. */
const nextEvent = async (): Promise<() => Promise<string>> => {
  const { authToken } = await engine.service.call('authTokens.create', {});
  const sent = request(`${engine.url}/events`, { headers: { authToken }, agent: false }).end();
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  let seen = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
  return async () => {
    await expect.poll(() => seen, { interval: 2 }).toMatch(/data: .*\n\n/);
    return seen;
  };
};

test('numbers beyond 2^53 reach the webhook, the trace, its followers and the export as the DApp wrote them', async () => {
  const receiver = await startReceiver(verify);
  for (const requestType of ['POST', 'GET'] as const) {
    const registration = { paymasterId: dapp.paymasterId, webhookUrl: receiver.url, requestType };
    await engine.service.call('webhooks.create', registration);
  }
  const event = await nextEvent();

  expect(await send(op)).toContain('"mode":"SPONSORED","paymasterAndData":"0xcccc');

  const posted = receiver.calls.find(({ method }) => method === 'POST');
  expect(posted?.body).toBe(`{"data":${DATA}}`);
  const query = new URL(receiver.calls.find(({ method }) => method === 'GET')?.target ?? '', receiver.url).searchParams;
  expect([query.get('data'), query.get('user')]).toEqual([DATA, NUMBERS[0]]);

  const kept = `"webhookData":${DATA}`;
  const [decision] = await dapp.decisions();
  expect(JSON.stringify(decision?.request).split(kept)).toHaveLength(3);
  expect(await event()).toContain(kept);
  const commands = [
    ['export', '--data', dir],
    ['show', decision!.id, '--json', '--data', dir],
  ];
  for (const command of commands) expect((await gasdesk(['decisions', ...command])).stdout).toContain(kept);
  await engine.stop();
  for (const command of commands) expect((await gasdesk(['decisions', ...command])).stdout).toContain(kept);
  engine = await startEngine({ dir });
});

test.each([...NUMBERS, '7', '"9007199254740993"'])('the id %s is answered as it was sent', async (id) => {
  expect(await send(op, id)).toContain(`"id":${id},`);
  expect(await send('{}', id)).toContain(`"id":${id},`);
});

test.each([...NUMBERS, '9007199254740992'])(
  'a quantity that is the number %s is refused, since its meaning is unclear',
  async (number) => {
    const answer = JSON.parse(
      await send(JSON.stringify({ ...op, nonce: 0 }).replace('"nonce":0', `"nonce":${number}`)),
    );
    const message = 'params[0].nonce must be a 0x hex quantity, a decimal string or a safe integer';
    expect(answer).toMatchObject({ error: { code: -32602, message } });
  },
);

test('an object is no number, whatever its members are', async () => {
  for (const forged of ['{"rawJSON":"1"}', '{"source":"1"}', '{"toJSON":"1"}']) {
    expect(await send(op, forged)).toContain('"code":-32600');
    expect(await send(JSON.stringify({ ...op, nonce: 0 }).replace('"nonce":0', `"nonce":${forged}`))).toContain(
      '-32602',
    );
  }
});

test('a body nested without end is refused, numbers beyond 2^53 in it or not', async () => {
  const deep = `${'['.repeat(50_000)}${NUMBERS[0]}${']'.repeat(50_000)}`;
  expect(await send(deep)).toContain('nested deeper than 64 levels');
});
