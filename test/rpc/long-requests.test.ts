import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { withPaymasterAndData } from '../../src/core/user-operation/paymaster-fields.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { ProcedureOutput } from '../../src/api/index.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { exportTo, openReview } from '../review/open-review.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation, sponsorRequest } from '../support/operations.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { startReceiver, verify } from '../support/webhook-receiver.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();

const KIB = 1024;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** What a record has in place of something. */
const cutOf = (value: unknown, length: number): object => {
  const json = JSON.stringify(value);
  const sha256 = createHash('sha256').update(json).digest('hex');
  return { truncated: true, bytes: Buffer.byteLength(json), sha256, start: json.slice(0, length) };
};
const long = operation({ to: `0x${'11'.repeat(20)}`, data: `0x${'ab'.repeat(50 * KIB)}` });

test('a long operation is sponsored as it is; its record, report, export and review hold its beginning and its hash', async () => {
  const dapp = await desk().dapp();
  const options = { mode: 'SPONSORED', sponsorshipInfo: { webhookData: { note: 'x'.repeat(20 * KIB) } } };
  const { body, status } = await dapp.sponsor(long, options);
  expect([status, body.error]).toEqual([200, undefined]);
  const paymasterAndData = body.result!.paymasterAndData;

  const [decision] = await dapp.decisions();
  expect(decision).toMatchObject({ outcome: 'sponsored', paymasterAndData, sender: long['sender'] });
  const quantities = ['nonce', 'callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas'] as const;
  const signed = {
    ...long,
    ...Object.fromEntries(
      [...quantities, 'maxPriorityFeePerGas'].map((field) => [field, BigInt(long[field] as string)]),
    ),
  } as unknown as UserOperationV06;
  const domain = { chainId: 31337, entryPoint: decision!.entryPoint as Address };
  expect(decision?.userOpHash).toBe(entryPoints['0.6'].hash(withPaymasterAndData(signed, paymasterAndData), domain));

  // What was signed can be decided again: the operation is kept whole, once.
  expect(decision?.facts).toMatchObject({ opChanges: { callData: long['callData'] } });
  expect(bytesOf({ ...decision, facts: undefined })).toBeLessThan(32 * KIB);
  expect(decision?.request).toMatchObject({
    received: cutOf([long, options], 8 * KIB),
    userOperation: { sender: long['sender'], nonce: '0x0', callData: cutOf(long['callData'], KIB) },
    options: { truncated: true },
    calls: [{ selector: '0xabababab' }],
  });
  const { id: decisionId } = decision!;
  const calls = await desk().call('decisions.calls', { decisionId });
  expect(calls).toMatchObject({ calls: [], error: expect.stringContaining('too long to store') });
  const { html } = await desk().call<ProcedureOutput<'decisions.report'>>('decisions.report', {});
  expect(html).toContain(decisionId);

  const file = join(tempFolder(), 'decisions.jsonl');
  await exportTo(openDataFolder(desk().dir), file);
  const review = await openReview(file);
  expect(await review.service.call('decisions.show', { decisionId })).toEqual(decision);
});

test('what a webhook was sent is cut in the record, and was sent whole', async () => {
  const dapp = await desk().dapp();
  const receiver = await startReceiver(verify);
  for (const requestType of ['POST', 'GET'] as const) {
    const registration = { paymasterId: dapp.paymasterId, webhookUrl: receiver.url, requestType };
    await desk().call('webhooks.create', registration);
  }
  const rule = { name: 'Posts', policyType: 'WEBHOOK', policyData: { url: receiver.url } };
  await desk().call('rules.create', { paymasterId: dapp.paymasterId, rule });
  const webhookData = { note: 'y'.repeat(12 * KIB) };
  expect(codeOf(await dapp.sponsor(long, { sponsorshipInfo: { webhookData } }))).toBe('SPONSORED');

  const posted = receiver.calls.filter(({ method }) => method === 'POST').map((call) => bytesOf(call.body));
  expect(posted.toSorted((a, b) => a - b)).toEqual([expect.closeTo(12 * KIB, -2), expect.closeTo(112 * KIB, -4)]);
  const [decision] = await dapp.decisions();
  expect(bytesOf({ ...decision, facts: undefined })).toBeLessThan(80 * KIB);
  expect(JSON.stringify(decision?.trace)).toMatch(/… \(\d{6} bytes, SHA-256 [0-9a-f]{64}\)/);
});

test('a long operation that is denied leaves no more than its beginning', async () => {
  const dapp = await desk().dapp();
  expect(codeOf(await dapp.sponsor({ ...long, preVerificationGas: '0xffffffff' }))).toBe(
    'PRE_VERIFICATION_GAS_TOO_HIGH',
  );
  const [decision] = await dapp.decisions();
  expect(decision?.facts).toBeUndefined();
  expect(bytesOf(decision)).toBeLessThan(32 * KIB);
});

test('a refused request of 120 KiB leaves 16 KiB, and fifty of them are below 1 MiB', async () => {
  const dapp = await desk().dapp();
  const params = [
    { ...long, nobodyKnows: ['[1e9,"'.repeat(5)], nonce: '0x0', maxFeePerGas: 'free' },
    { mode: 'SPONSORED' },
  ];
  for (let sent = 0; sent < 50; sent += 1) {
    const { status } = await desk().engine().post(`/api/v1/31337/${dapp.apiKey}`, sponsorRequest(params));
    expect(status).toBe(400);
  }
  const listed = await dapp.decisions();
  expect(listed).toHaveLength(50);
  expect(bytesOf(listed)).toBeLessThan(KIB * KIB);
  expect(listed[0]).toMatchObject({
    code: 'VALIDATION',
    sender: long['sender'],
    nonce: '0',
    request: { received: cutOf(params, 8 * KIB) },
  });
});

test('many calls in one operation are recorded as far as they are kept', async () => {
  const dapp = await desk().dapp();
  const targets = Array.from({ length: 300 }, () => `0x${'22'.repeat(20)}`);
  const account = new Interface(['function executeBatch(address[] dest, bytes[] func)']);
  const callData = account.encodeFunctionData('executeBatch', [targets, targets.map(() => '0x12345678')]);
  const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x' }, { callData });
  expect(codeOf(await dapp.sponsor(op))).toBe('SPONSORED');
  const [decision] = await dapp.decisions();
  expect(decision?.request).toHaveProperty('calls.truncated', true);
  expect(bytesOf({ ...decision, facts: undefined })).toBeLessThan(64 * KIB);
});
