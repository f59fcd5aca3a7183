import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Interface } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Hex } from '../../../shared/schema/hex.ts';
import type { UserOperation, UserOperationV06, UserOperationV07 } from '../../../shared/schema/user-operation.ts';
import { stubPaymasterAndData } from '../../../core/paymaster-layouts/layout.ts';
import { verifying06 } from '../../../core/paymaster-layouts/verifying-0.6.ts';
import { verifying08 } from '../../../core/paymaster-layouts/verifying-0.7.ts';
import { createRpcClient } from '../rpc.ts';
import { estimateByBundler } from './bundler.ts';
import type { GasValues } from '../../../core/user-operation/gas-values.ts';

const entryPoint: Address = `0x${'44'.repeat(20)}`;
const op: UserOperationV06 = {
  sender: `0x${'11'.repeat(20)}`,
  nonce: 1n << 70n,
  initCode: '0x',
  callData: '0xabcdef',
  callGasLimit: 77n,
  verificationGasLimit: 88n,
  preVerificationGas: 99n,
  maxFeePerGas: 1_000_000_000n,
  maxPriorityFeePerGas: 0n,
  paymasterAndData: '0x',
  signature: `0x${'22'.repeat(65)}`,
};
const good = { callGasLimit: '0x5208', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
const goodValues: GasValues = { callGasLimit: 21_000n, verificationGasLimit: 100_000n, preVerificationGas: 50_000n };

let server: Server;
let url: string;
/** The bundler's answer, and the requests it received. */
let answer: (respond: { result: (value: unknown) => void; raw: (text: string) => void; hangUp: () => void }) => void;
let asked: { method: string; params: unknown[] };

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked = JSON.parse(Buffer.concat(chunks).toString()) as typeof asked;
      answer({
        result: (value) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })),
        raw: (text) => response.end(text),
        hangUp: () => response.destroy(),
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const sponsored: UserOperation[] = [];
const sponsor = (unsponsored: UserOperation): Hex => {
  sponsored.push(unsponsored);
  return '0x5e';
};
const estimate = (): Promise<GasValues> =>
  estimateByBundler(createRpcClient(url, 'The bundler', 2_000), { op, entryPoint, sponsor, layout: verifying06 });
const answerResult = (value: unknown): void => {
  answer = ({ result }) => result(value);
};
const answerError = (error: unknown): void => {
  answer = ({ raw }) => raw(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
};

describe("a bundler's estimate", () => {
  it('is asked for the sponsored operation, without gas limits that would restrict it', async () => {
    answerResult(good);
    await estimate();
    expect(asked).toMatchObject({
      method: 'eth_estimateUserOperationGas',
      params: [
        {
          sender: op.sender,
          nonce: '0x400000000000000000',
          initCode: '0x',
          callData: '0xabcdef',
          maxFeePerGas: '0x3b9aca00',
          maxPriorityFeePerGas: '0x0',
          paymasterAndData: '0x5e',
          signature: op.signature,
        },
        entryPoint,
      ],
    });
    expect(Object.keys(asked.params[0] as object)).toHaveLength(8);
  });

  it('does not get a signature that sponsors anything: nothing was decided yet', async () => {
    answerResult(good);
    sponsored.length = 0;
    await estimate();
    expect(sponsored).toHaveLength(1);
    expect(sponsored[0]).toMatchObject({ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n });
  });

  it.each<[string, Record<string, unknown>]>([
    ['hex', good],
    ['numbers', { callGasLimit: 21_000, verificationGasLimit: 100_000, preVerificationGas: 50_000 }],
    ['decimal strings', { callGasLimit: '21000', verificationGasLimit: '100000', preVerificationGas: '50000' }],
    ['the old name of the limit', { ...good, verificationGasLimit: undefined, verificationGas: '0x186a0' }],
    ['both names', { ...good, verificationGas: '0x1' }],
    ['more than was asked', { ...good, validUntil: '0x0', maxFeePerGas: {}, paymasterPostOpGasLimit: null }],
  ])('is read: %s', async (_, result) => {
    answerResult(result);
    expect(await estimate()).toEqual(goodValues);
  });

  it.each<[string, unknown, string]>([
    ['no object', null, 'expected object'],
    ['a list', [good], 'expected object'],
    ['a field missing', { ...good, preVerificationGas: undefined }, 'preVerificationGas'],
    ['neither name of the limit', { ...good, verificationGasLimit: undefined }, 'verificationGasLimit is missing'],
    ['a negative number', { ...good, callGasLimit: -1 }, 'callGasLimit'],
    ['a fraction', { ...good, callGasLimit: 1.5 }, 'callGasLimit'],
    ['a number too large to be exact', { ...good, callGasLimit: 2 ** 60 }, 'callGasLimit'],
    ['gas beyond every block', { ...good, verificationGasLimit: `0x${'f'.repeat(30)}` }, 'must be below 2^53'],
    ['gas beyond 256 bits', { ...good, verificationGasLimit: `0x${'f'.repeat(65)}` }, 'verificationGasLimit'],
    ['no gas for validation', { ...good, verificationGasLimit: '0x0' }, 'must not be 0'],
    ['not a number', { ...good, callGasLimit: 'NaN' }, 'callGasLimit'],
  ])('is refused rather than signed for: %s', async (_, result, error) => {
    answerResult(result);
    await expect(estimate()).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: expect.stringContaining(error),
    });
  });
});

describe("a bundler's estimate of a v0.7 operation", () => {
  const paymaster: Address = `0x${'55'.repeat(20)}`;
  const opV07: UserOperationV07 = {
    sender: op.sender,
    nonce: op.nonce,
    factory: '0x7702',
    factoryData: '0x',
    callData: op.callData,
    callGasLimit: 77n,
    verificationGasLimit: 88n,
    preVerificationGas: 99n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 0n,
    signature: op.signature,
    eip7702Auth: { chainId: 1n, address: paymaster, nonce: 5n, yParity: 1n, r: '0x01', s: '0x02' },
  };
  const terms = { chainId: 1, paymaster, validAfter: 0, validUntil: 9 };
  const layout = verifying08;
  const estimateV07 = (): Promise<GasValues> =>
    estimateByBundler(createRpcClient(url, 'The bundler', 2_000), {
      op: opV07,
      entryPoint,
      sponsor: (unsponsored) => stubPaymasterAndData(layout, unsponsored, terms),
      layout,
    });
  const limits = { paymasterVerificationGasLimit: '0x100', paymasterPostOpGasLimit: '0x0' };

  it("is asked with the paymaster's fields and the EIP-7702 authorisation, so that the wallet's own code is estimated", async () => {
    answerResult(good);
    await estimateV07();
    const { paymasterData, ...wire } = asked.params[0] as { paymasterData: Hex };
    expect(wire).toEqual({
      sender: op.sender,
      nonce: '0x400000000000000000',
      factory: '0x7702',
      factoryData: '0x',
      callData: '0xabcdef',
      maxFeePerGas: '0x1',
      maxPriorityFeePerGas: '0x0',
      paymaster,
      paymasterVerificationGasLimit: '0xea60',
      paymasterPostOpGasLimit: '0x0',
      signature: op.signature,
      eip7702Auth: { chainId: '0x1', address: paymaster, nonce: '0x5', yParity: '0x1', r: '0x01', s: '0x02' },
    });
    expect(paymasterData).toHaveLength(2 + 2 * (64 + 65));
  });

  it.each<[string, Record<string, unknown>, bigint]>([
    ['as it says', { ...good, ...limits }, 0x100n],
    ["or the contract's, where it does not say", good, 60_000n],
    ["or the contract's, where it says 0", { ...good, ...limits, paymasterVerificationGasLimit: '0x0' }, 60_000n],
    ["or the contract's, where it says null", { ...good, paymasterVerificationGasLimit: null }, 60_000n],
  ])("has the limits of the paymaster's own calls %s", async (_, answered, paymasterVerificationGasLimit) => {
    answerResult(answered);
    expect(await estimateV07()).toEqual({ ...goodValues, paymasterVerificationGasLimit, paymasterPostOpGasLimit: 0n });
  });
});

describe('a bundler that refuses the operation says why, and repeats no text of a contract', () => {
  const closed = new Interface(['error Error(string)']).encodeErrorResult('Error', ['no more']);

  it.each<[string, unknown, string, Record<string, unknown>]>([
    [
      'by an AA code',
      { code: -32500, message: 'AA23 reverted: only owner' },
      'AA23 reverted (or OOG)',
      { aaCode: 'AA23', reason: 'reverted (or OOG)' },
    ],
    [
      'by an AA code inside its own words',
      { code: -32500, message: 'UserOperation failed validation with reason: AA25 invalid account nonce' },
      'AA25 invalid account nonce',
      { aaCode: 'AA25', reason: 'invalid account nonce' },
    ],
    [
      'by revert data',
      { code: -32521, message: 'execution reverted', data: closed },
      'The bundler rejects the operation: its call reverts: Error(string)',
      { selector: '0x08c379a0', reason: 'The bundler rejects the operation: its call reverts' },
    ],
    [
      'by revert data in its message',
      { code: -32521, message: `reverted during simulation with reason: ${closed}` },
      'The bundler rejects the operation: its call reverts: Error(string)',
      { selector: '0x08c379a0', reason: 'The bundler rejects the operation: its call reverts' },
    ],
    [
      'by the address of a culprit, which is no revert data',
      { code: -32501, message: `paymaster ${entryPoint} throttled` },
      'The bundler rejects the operation: the paymaster rejects it',
      { reason: 'The bundler rejects the operation: the paymaster rejects it' },
    ],
    [
      'by nothing at all',
      { code: 'x', message: 5 },
      'The bundler rejects the operation: error 0',
      { reason: 'The bundler rejects the operation: error 0' },
    ],
  ])('%s', async (_, error, message, data) => {
    answerError(error);
    await expect(estimate()).rejects.toMatchObject({
      code: 'GAS_ESTIMATION_FAILED',
      message: expect.stringContaining(message),
      data,
    });
  });
});

it.each<[string, typeof answer]>([
  ['hangs up', ({ hangUp }) => hangUp()],
  ['talks HTML', ({ raw }) => raw('<html>502</html>')],
  ['talks no JSON-RPC', ({ raw }) => raw('{}')],
])('a bundler that %s is distinguished from one that refuses', async (_, how) => {
  answer = how;
  await expect(estimate()).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
});
