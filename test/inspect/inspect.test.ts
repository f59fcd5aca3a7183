import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Interface } from 'ethers';
import { describe, expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { exportDecisions } from '../../src/cli/export-decisions.ts';
import { USER_OPERATION_V06_ABI } from '../../src/core/user-operation/abi.ts';
import { openReview } from '../review/open-review.ts';
import { gasdesk, gasdeskReading } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { gameCall, operation } from '../support/operations.ts';
import { useTempFolders } from '../support/temp-folder.ts';

type InspectionView = ProcedureOutput<'inspect.value'>;

const desk = useOfflineDesk();
const tempFolder = useTempFolders();
const ITEMS = `0x${'11'.repeat(20)}` as const;
const ABI = JSON.stringify([
  { type: 'function', name: 'mint', inputs: [{ name: 'amount', type: 'uint256' }], stateMutability: 'nonpayable' },
]);

const inspect = (value: string, chainId?: number): Promise<InspectionView> =>
  desk().call<InspectionView>('inspect.value', { value, ...(chainId !== undefined && { chainId }) });

let nonce = 0;
/** A sponsored operation, as its wallet sends it on; and its decision. */
const sponsored = async () => {
  const dapp = await desk().dapp();
  nonce += 1;
  const op = operation({ to: ITEMS, data: gameCall('mint', 3n) }, { nonce: `0x${nonce.toString(16)}` });
  const { body } = await dapp.sponsor(op);
  const { paymasterAndData = '0x', callGasLimit, verificationGasLimit, preVerificationGas } = body.result ?? {};
  const gas = { callGasLimit, verificationGasLimit, preVerificationGas };
  const [decision] = await dapp.decisions();
  if (decision === undefined) throw new Error('nothing was decided');
  return {
    dapp,
    decision,
    paymasterAndData,
    op: { ...op, ...gas, paymasterAndData, signature: `0x${'5a'.repeat(65)}` },
  };
};

const checkOf = ({ readings }: InspectionView, name: string) =>
  readings[0]?.sections.flatMap(({ checks }) => checks).find((check) => check.name === name);

describe('what the desk has signed', () => {
  test('is found by its paymaster data alone, with its signer and its gas tank by name', async () => {
    const { decision, paymasterAndData, dapp } = await sponsored();
    const found = await inspect(paymasterAndData);
    expect(found.readings).toMatchObject([{ what: 'paymasterAndData', sureness: 'certain' }]);
    expect(found.decisions).toMatchObject([{ id: decision.id, by: 'paymasterAndData', outcome: 'sponsored' }]);
    expect(checkOf(found, 'validity')).toMatchObject({ ok: true });
    // The decision knows the operation that the signer signed.
    expect(checkOf(found, 'signer')).toMatchObject({ ok: true });
    expect(found.names).toContainEqual({
      address: dapp.fundingWallet.toLowerCase(),
      name: expect.stringMatching(/^funding wallet of /),
    });
    await desk().clock.advance(3_600_000);
    expect(checkOf(await inspect(paymasterAndData), 'validity')).toMatchObject({ ok: false, words: 'Expired.' });
  });

  test('is found by the whole operation, whose signer is proven', async () => {
    const { decision, op, dapp } = await sponsored();
    const contract = { name: 'Game Items', address: ITEMS, abi: ABI, whitelistedMethods: ['mint'] };
    await desk().call('contracts.create', { paymasterId: dapp.paymasterId, ...contract });
    const found = await inspect(JSON.stringify({ method: 'eth_sendUserOperation', params: [op] }));
    expect(found.decisions).toMatchObject([{ id: decision.id, by: 'userOpHash' }]);
    expect(checkOf(found, 'signer')).toMatchObject({ ok: true });
    const calls = found.readings[0]?.sections.flatMap((section) => section.calls);
    expect(calls).toMatchObject([{ contract: 'Game Items', method: 'mint(uint256)', args: ['3'] }]);
    expect(JSON.stringify(found)).toContain(decision.maxCostWei);
  });

  test('and was changed afterwards: the signer is another, the decision the same', async () => {
    const { decision, op } = await sponsored();
    const found = await inspect(JSON.stringify({ ...op, callGasLimit: '0x1' }));
    expect(checkOf(found, 'signer')).toMatchObject({ ok: false });
    expect(found.decisions).toMatchObject([{ id: decision.id, by: 'sender and nonce' }]);
  });

  test('is found by its hash, and in the bundle that carries it', async () => {
    const { decision, op } = await sponsored();
    const byHash = await inspect(decision.userOpHash ?? '');
    expect(byHash.decisions).toMatchObject([{ id: decision.id, by: 'userOpHash' }]);
    const abi = new Interface([`function handleOps(${USER_OPERATION_V06_ABI}[] ops, address beneficiary)`]);
    const bundle = await inspect(abi.encodeFunctionData('handleOps', [[op], ITEMS]));
    expect(bundle.readings[0]?.what).toBe('bundle');
    expect(bundle.decisions).toMatchObject([{ id: decision.id, by: 'userOpHash' }]);
    expect(checkOf(bundle, 'signer')).toMatchObject({ ok: true });
  });

  test('is also read by a review of the export, which has neither keys nor contracts', async () => {
    const { decision, op, paymasterAndData } = await sponsored();
    const file = join(tempFolder(), 'decisions.jsonl');
    const out = createWriteStream(file);
    const { service } = desk().engine();
    await exportDecisions((name, input) => service.call(name, input), {}, out);
    out.end();
    await once(out, 'close');
    const { service: review } = await openReview(file);
    for (const value of [paymasterAndData, JSON.stringify(op), decision.userOpHash ?? '']) {
      const found = await review.call('inspect.value', { value });
      expect(found.decisions.map(({ id }) => id)).toEqual([decision.id]);
    }
    const found = await review.call('inspect.value', { value: JSON.stringify(op) });
    expect(checkOf(found, 'signer')).toMatchObject({ ok: true });
  });
});

test('a chain that is named is believed: the signer of another is none', async () => {
  const { op } = await sponsored();
  expect(checkOf(await inspect(JSON.stringify(op), 31_337), 'signer')).toMatchObject({ ok: true });
  expect(checkOf(await inspect(JSON.stringify(op), 1), 'signer')).toMatchObject({ ok: null });
});

test.each([
  ['a mebibyte', `0x${'ab'.repeat(512 * 1024)}`, 'value must have at most 131072 characters'],
  ['half a surrogate pair', '\ud800', 'value must be text, without halves of surrogate pairs'],
  ['nothing', '', 'value should not be empty'],
])('%s is refused, with the reason', async (_, value, message) => {
  await expect(inspect(value)).rejects.toMatchObject({ code: 'VALIDATION', message });
});

describe('on the command line', () => {
  test('every byte of what was signed has its line, and the decision its own', async () => {
    const { paymasterAndData, decision } = await sponsored();
    const { code, stdout, stderr } = await gasdesk(['inspect', paymasterAndData, '--data', desk().dir]);
    expect([code, stderr]).toEqual([0, '']);
    for (const words of [
      '0–19',
      'paymasterId',
      'validUntil',
      '180–244',
      '245–275',
      'validity: yes Valid now.',
      decision.id,
    ]) {
      expect(stdout).toContain(words);
    }
  });

  test('JSON is read from standard input, and answered as JSON', async () => {
    const { op, decision } = await sponsored();
    const { code, stdout } = await gasdeskReading(JSON.stringify(op), ['inspect', '-', '--json', '--data', desk().dir]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as InspectionView).decisions.map(({ id }) => id)).toEqual([decision.id]);
  });

  test('an unrecognised value is explained, with exit code 1; too much is bad usage', async () => {
    const none = await gasdesk(['inspect', `0x${'12'.repeat(93)}`, '--data', desk().dir]);
    expect(none.code).toBe(1);
    expect(none.stdout).toContain('not paymasterAndData of verifying-0.6: too short: 93 bytes, needs 149');
    const much = await gasdeskReading('ab'.repeat(1024 * 1024), ['inspect', '-', '--data', desk().dir]);
    expect([much.code, much.stderr]).toEqual([2, 'gasdesk: value must have at most 131072 characters\n']);
  });

  test('a hostile text cannot steer the terminal', async () => {
    const { stdout } = await gasdesk(['inspect', '{"sender":"0x\u001b[2J","callData":"0x"}', '--data', desk().dir]);
    expect(stdout).not.toContain('\u001b');
  });
});
