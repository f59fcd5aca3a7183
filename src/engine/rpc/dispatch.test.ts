import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ANSWER,
  ANSWERS,
  DAPP,
  ENTRY_POINT,
  request,
  send,
  sender,
  validOp,
  validOptions,
  without,
} from '../../../test/support/dispatching.ts';
import type { EngineError } from '../../shared/errors.ts';
import type { ProcedureName } from '../../api/index.ts';
import type { Service } from '../service/index.ts';
import { dispatch } from './dispatch.ts';
import { rpcMethods } from './methods.ts';
import type { RpcResponse } from './envelope.ts';

/** Two numbers of 128 bits: 3 and 2. */
const PACKED = `0x${'3'.padStart(32, '0')}${'2'.padStart(32, '0')}`;

const isId = (id: unknown): boolean => typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));

/** JSON-RPC 2.0: version, id, and either a result or an error with code and message. */
const expectFullBody = (body: RpcResponse, sent: unknown): void => {
  expect(body.jsonrpc).toBe('2.0');
  expect(Object.keys(body).sort()).toEqual(['id', 'result' in body ? 'result' : 'error', 'jsonrpc'].sort());
  if (body.error !== undefined) {
    expect(Number.isInteger(body.error.code)).toBe(true);
    expect(body.error.message).not.toBe('');
    expect(body.error.message.length).toBeLessThan(500);
  }
  const id = typeof sent === 'object' && sent !== null && 'id' in sent ? sent.id : undefined;
  expect(body.id).toEqual(isId(id) ? id : null);
};

/** Of an error: 400 for what is no request, and for Biconomy's clients, who read the reason from nothing else. */
const errorStatus = ({ code }: { code: number }, sent: unknown): number => {
  if (code === -32600) return 400;
  const { method, params } = sent as { method: string; params?: unknown[] | null };
  const isBiconomy = method === 'pm_sponsorUserOperation' && typeof params?.[1] !== 'string';
  return isBiconomy || method === 'pm_getFeeQuoteOrData' ? 400 : 200;
};

const expectAnswered = async (sent: unknown): Promise<void> => {
  const { status, body } = await send(sent);
  expect([200, 400]).toContain(status);
  if (Array.isArray(body)) {
    const requests = sent as unknown[];
    expect(status).toBe(200);
    expect(body).toHaveLength(requests.length);
    body.forEach((one, index) => expectFullBody(one, requests[index]));
    return;
  }
  expectFullBody(body, Array.isArray(sent) ? undefined : sent);
  expect(status).toBe(body.error === undefined ? 200 : errorStatus(body.error, sent));
};

describe('whatever comes, a client gets a JSON-RPC body it can read', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

  test('for any JSON', async () => {
    await fc.assert(fc.asyncProperty(json, answeredOrRefused), { numRuns: 500 });
  });

  test('for requests of which one part is anything else', async () => {
    const mutation = fc.tuple(fc.constantFrom(...paths(request())), fc.option(json, { nil: undefined }));
    const body = fc.array(mutation, { minLength: 1, maxLength: 3 }).map((changes) => {
      const changed = structuredClone(request());
      for (const [path, value] of changes) setAt(changed, path, value);
      return changed;
    });
    await fc.assert(fc.asyncProperty(body, expectAnswered), { numRuns: 1000 });
  });

  test('for batches of valid and other requests', async () => {
    const one = fc.oneof(json, fc.constant(request()), fc.constant(request({ params: [] })));
    await fc.assert(fc.asyncProperty(fc.array(one, { maxLength: 25 }), answeredOrRefused), { numRuns: 300 });
  });
});

/** A batch may be refused as a whole by an error, which the router answers. */
async function answeredOrRefused(sent: unknown): Promise<void> {
  if (Array.isArray(sent) && (sent.length === 0 || sent.length > 20)) {
    await expect(send(sent)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  } else await expectAnswered(sent);
}

function paths(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [[key], ...paths(child).map((rest) => [key, ...rest])]);
}

function setAt(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  const child = target[key!];
  if (rest.length > 0) {
    if (typeof child === 'object' && child !== null) setAt(child as Record<string, unknown>, rest, value);
  } else if (value === undefined) Reflect.deleteProperty(target, key!);
  else target[key!] = value;
}

describe('the envelope', () => {
  test.each<[string, unknown]>([
    ['a number', 0],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['unix seconds', 1_767_225_600],
    ['an empty string', ''],
    ['a string', 'a-b'],
    ['a long string', 'x'.repeat(300)],
    ['a string with anything in it', '"\u0000\ud83d\ude00\u2028'],
  ])('an id that is %s comes back as it was sent', async (_, id) => {
    expect(await send(request({ id }))).toMatchObject({ status: 200, body: { id } });
    expect(await send(request({ id, method: 'x' }))).toMatchObject({
      status: 200,
      body: { id, error: { code: -32601 } },
    });
    expect(await send(request({ id, jsonrpc: '1.0' }))).toMatchObject({ body: { id, error: { code: -32600 } } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['object id', request({ id: {} }), 'id must be a string or a number'],
    ['array id', request({ id: [1] }), 'id must be a string or a number'],
    ['boolean id', request({ id: true }), 'id must be a string or a number'],
    ['missing id', without(request(), 'id'), 'id must be a string or a number'],
    ['jsonrpc 1.0', request({ jsonrpc: '1.0' }), 'jsonrpc must be "2.0"'],
    ['jsonrpc as a number', request({ jsonrpc: 2 }), 'jsonrpc must be "2.0"'],
    ['jsonrpc missing', without(request(), 'jsonrpc'), 'jsonrpc must be "2.0"'],
    ['method missing', without(request(), 'method'), 'method must be a string'],
    ['method null', request({ method: null }), 'method must be a string'],
    ['params an object', request({ params: { op: validOp } }), 'params must be an array'],
    ['params a string', request({ params: '[]' }), 'params must be an array'],
  ])('%s is refused by name', async (_, body, detail) => {
    const error = { code: -32600, message: `Invalid request: ${detail}` };
    expect(await send(body)).toMatchObject({ status: 400, body: { error } });
  });

  test.each([null, 1, 'x', true])('%j is no request', async (body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
  });

  test.each([
    'pm_getFeeQuote',
    '',
    'constructor',
    '__proto__',
    'toString',
    'PM_SPONSORUSEROPERATION',
    'x'.repeat(5000),
  ])('there is no method of whatever name, case %#', async (method) => {
    const { status, body } = await send(request({ method }));
    expect({ status, body }).toMatchObject({ status: 200, body: { id: 7, error: { code: -32601 } } });
    expect((body as RpcResponse).error!.message.length).toBeLessThan(200);
  });
});

describe('batches', () => {
  const ids = (body: unknown): unknown[] => (body as RpcResponse[]).map(({ id }) => id);

  test.each([1, 20])('%i requests are answered in their order', async (length) => {
    const { status, body, asked } = await send(Array.from({ length }, (_, id) => request({ id })));
    expect([status, asked.length]).toEqual([200, length]);
    expect(ids(body)).toEqual(Array.from({ length }, (_, id) => id));
  });

  test.each([
    [0, 'the batch is empty'],
    [21, 'a batch may contain at most 20 requests'],
  ])('%i requests are refused as a whole', async (length, detail) => {
    const sent = send(Array.from({ length }, () => request()));
    await expect(sent).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: `Invalid request: ${detail}` });
  });

  test('one bad request does not spoil the others', async () => {
    const { status, body } = await send([
      request({ id: 'a' }),
      [request()],
      5,
      request({ id: 'b', params: [] }),
      request({ id: 'c' }),
    ]);
    expect(status).toBe(200);
    expect(ids(body)).toEqual(['a', null, null, 'b', 'c']);
    expect((body as RpcResponse[]).map(({ error }) => error?.code)).toEqual([
      undefined,
      -32600,
      -32600,
      -32602,
      undefined,
    ]);
  });
});

describe('params', () => {
  test.each<[string, unknown, string]>([
    ['missing', undefined, 'params[0] must be an object'],
    ['empty', [], 'params[0] must be an object'],
    ['only an operation', [validOp], 'params[1] must be an object'],
    ['options that are no object', [validOp, 5], 'params[1] must be an object'],
    ['an operation that is a list', [[validOp], validOptions], 'params[0] must be an object'],
    ['null for both', [null, null], 'params[0] must be an object'],
    ['no members', [{}, validOptions], 'params[0].sender must be an EVM address'],
    ['no mode', [validOp, {}], 'params[1].mode must be one of: SPONSORED, SPONSORSHIP, SPONSOR, ERC20'],
  ])('%s: the first error is named', async (_, params, message) => {
    const body = params === undefined ? without(request(), 'params') : request({ params });
    expect(await send(body)).toMatchObject({
      status: 400,
      body: { id: 7, error: { code: -32602, message } },
      asked: [],
    });
  });

  const QUANTITY = 'must be a 0x hex quantity, a decimal string or a safe integer';
  const HEX = 'must be 0x-prefixed hex bytes';
  const ADDRESS = 'must be an EVM address';
  const EXPIRY = 'must be a whole number of seconds from 30 to 86400';
  const badQuantities = [
    '',
    ' 1',
    '0x',
    '-1',
    -1,
    '1.5',
    1.5,
    '1e3',
    '007',
    2 ** 53,
    '0xg',
    '0X1',
    true,
    null,
    {},
    [1],
    'NaN',
    `0x1${'0'.repeat(64)}`,
    String(2n ** 256n),
    '9'.repeat(5000),
  ];
  const badHex = ['', '0', '0x1', 'abcd', '0xgg', '0x12 ', '0x12\n', 5, null, true, {}, ['0x']];
  /** Without the values that mean "not given" in fields that clients may leave open. */
  const present = (values: unknown[]): unknown[] => values.filter((value) => value !== '0x' && value !== null);
  const given = (values: unknown[]): unknown[] => values.filter((value) => value !== null);
  const badObjects = ['x', 5, true, []];
  /** Field, its required type, and invalid values. */
  const fields: [string, string, unknown[]][] = [
    [
      'params[0].sender',
      ADDRESS,
      [undefined, '', '0x', `${sender}00`, sender.slice(0, 41), `0x${'g'.repeat(40)}`, ` ${sender}`, 5, null, {}],
    ],
    ['params[0].nonce', QUANTITY, [undefined, ...badQuantities.filter((value) => value !== '0x')]],
    ['params[0].initCode', HEX, given(badHex)],
    ['params[0].callData', HEX, [undefined, ...badHex]],
    ...[
      'callGasLimit',
      'verificationGasLimit',
      'preVerificationGas',
      'paymasterVerificationGasLimit',
      'paymasterPostOpGasLimit',
    ].map((name): [string, string, unknown[]] => [`params[0].${name}`, QUANTITY, present(badQuantities)]),
    ['params[0].maxFeePerGas', QUANTITY, present(badQuantities)],
    ['params[0].maxPriorityFeePerGas', QUANTITY, present(badQuantities)],
    ['params[0].factory', HEX, present(badHex)],
    ['params[0].paymaster', ADDRESS, ['0x12', 5]],
    ['params[0].signature', HEX, given(badHex)],
    ['params[0].paymasterAndData', HEX, given(badHex)],
    [
      'params[1].mode',
      'must be one of: SPONSORED, SPONSORSHIP, SPONSOR, ERC20',
      [undefined, '', 'FREE', 'SPONSORED ', null, 5, {}],
    ],
    ['params[1].calculateGasLimits', 'must be a boolean value', ['true', 1, {}]],
    ['params[1].expiryDuration', EXPIRY, [29, 86_401, 300.5, '300', -1, 0, 1e21, {}]],
    ['params[1].sponsorshipInfo', 'must be an object', badObjects],
    ['params[1].sponsorshipInfo.webhookData', 'must be an object', badObjects],
    ['params[1].sponsorshipInfo.smartAccountInfo', 'must be an object', badObjects],
    ['params[1].sponsorshipInfo.smartAccountInfo.name', 'must be a string', [5, {}]],
    ['params[1].sponsorshipInfo.smartAccountInfo.version', 'must be a string', [2, []]],
    ['params[1].tokenInfo', 'must be an object', badObjects],
    ['params[1].tokenInfo.feeTokenAddress', ADDRESS, ['', 'USDC', 5, {}]],
    ['params[1].token', ADDRESS, ['USDC', 5]],
    ['params[1].erc20Context', 'must be an object', badObjects],
    ['params[1].sponsorshipPolicyId', 'must be a string', [5, {}]],
  ];
  test.each(fields)('%s %s, and is nothing else', async (field, must, values) => {
    const [index, ...names] = field.slice('params['.length).split(/\]?\./);
    for (const value of values) {
      const body = structuredClone(request());
      const target = (body['params'] as Record<string, unknown>[])[Number(index)]!;
      setAt(target, names, value);
      const message = `${field} ${must}`;
      expect(await send(body), JSON.stringify([value]).slice(0, 50)).toMatchObject({
        status: 400,
        body: { id: 7, error: { code: -32602, message, data: { errors: expect.arrayContaining([message]) } } },
        asked: [],
      });
    }
  });

  test('several errors are reported at once, the first of them as the message', async () => {
    const params = [{ ...validOp, sender: 'x', nonce: -1 }, { mode: 'SPONSORED' }];
    const errors = [`params[0].sender ${ADDRESS}`, `params[0].nonce ${QUANTITY}`];
    expect((await send(request({ params }))).body).toMatchObject({ error: { message: errors[0], data: { errors } } });
  });

  test.each<[unknown, bigint]>([
    ['0x0', 0n],
    ['0x00ff', 255n],
    ['0xFf', 255n],
    ['0', 0n],
    ['18446744073709551617', 2n ** 64n + 1n],
    [0, 0n],
    [Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    [String(2n ** 256n - 1n), 2n ** 256n - 1n],
    [`0x${(2n ** 200n + 12_345n).toString(16)}`, 2n ** 200n + 12_345n],
  ])('%j is read exactly in every quantity', async (value, expected) => {
    const names = [
      'nonce',
      'callGasLimit',
      'verificationGasLimit',
      'preVerificationGas',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
    ];
    const op = { ...validOp, ...Object.fromEntries(names.map((name) => [name, value])) };
    const { asked } = await send(request({ params: [op, validOptions] }));
    expect(asked[0]!.userOperation).toMatchObject(Object.fromEntries(names.map((name) => [name, expected])));
  });

  test.each(['0x', null, undefined])('gas of %j is gas that is not given', async (value) => {
    const names = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
    const op = { ...validOp, ...Object.fromEntries(names.map((name) => [name, value])) };
    const { asked } = await send(JSON.parse(JSON.stringify(request({ params: [op, validOptions] }))));
    for (const name of names) expect(asked[0]!.userOperation[name]).toBeUndefined();
  });

  test('the least that is needed is enough, and the rest takes its default', async () => {
    const op = { sender, nonce: 0, callData: '0x', maxFeePerGas: 0, maxPriorityFeePerGas: 0 };
    const { asked } = await send(request({ params: [op, { mode: 'SPONSORSHIP' }] }));
    expect(asked[0]).toMatchObject({
      userOperation: { signature: '0x' },
      options: { mode: 'SPONSORED', calculateGasLimits: false, expiryDuration: 300 },
      received: [op, { mode: 'SPONSORSHIP' }],
    });
  });

  test('data for webhooks goes through untouched, whatever its keys', async () => {
    const webhookData = JSON.parse('{"constructor":1,"params":{"n":[null,1.5,"\\u0000"]}}') as object;
    const options = { mode: 'SPONSORED', sponsorshipInfo: { webhookData } };
    const { asked } = await send(request({ params: [validOp, options] }));
    expect(JSON.stringify(asked[0]!.options.sponsorshipInfo.webhookData)).toBe(JSON.stringify(webhookData));
  });

  test('data for webhooks cannot reach the prototype of every object', async () => {
    const webhookData = JSON.parse('{"__proto__":{"polluted":1}}') as object;
    const options = { mode: 'SPONSORED', sponsorshipInfo: { webhookData } };
    const { asked } = await send(request({ params: [validOp, options] }));
    expect('polluted' in asked[0]!.options.sponsorshipInfo.webhookData!).toBe(false);
    expect('polluted' in {}).toBe(false);
  });

  test('callData of a megabyte is read', async () => {
    const callData = `0x${'ab'.repeat(500_000)}`;
    const { asked } = await send(request({ params: [{ ...validOp, callData }, validOptions] }));
    expect(asked[0]!.userOperation.callData).toBe(callData);
  });
});

describe('the other methods', () => {
  const CHAIN = '0x7a69';
  const FEES = { maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1' };
  const rest = (params: unknown[]): unknown[] => [validOp, ...params];
  const mismatch = (root: string) =>
    `${root} is ${sender}, but this DApp is sponsored on EntryPoint 0.6 (${ENTRY_POINT}): its paymaster version is 1.1.0`;

  test.each<[string, unknown[], unknown]>([
    [
      'pm_getPaymasterStubData',
      rest([ENTRY_POINT, CHAIN]),
      { paymasterAndData: '0x1234', sponsor: { name: 'DApp' }, isFinal: false },
    ],
    ['pm_getPaymasterData', rest([ENTRY_POINT, CHAIN, null]), { paymasterAndData: '0x1234' }],
    ['pm_getPaymasterData', rest([ENTRY_POINT.toLowerCase(), 31337, {}]), { paymasterAndData: '0x1234' }],
    [
      'pm_sponsorUserOperation',
      rest([ENTRY_POINT]),
      {
        paymasterAndData: '0x1234',
        preVerificationGas: '0x1267c',
        verificationGasLimit: '0xdf21',
        callGasLimit: '0x1a930',
      },
    ],
    [
      'pm_getFeeQuoteOrData',
      rest([{ mode: 'ERC20' }]),
      { MODE: 'ERC20', mode: 'ERC20', ...(ANSWERS['sponsorship.feeQuotes'] as object) },
    ],
    [
      'pm_getFeeQuoteOrData',
      rest([{}]),
      {
        MODE: 'SPONSORED',
        mode: 'SPONSORED',
        paymasterAndData: '0x1234',
        preVerificationGas: '75388',
        verificationGasLimit: 57121,
        callGasLimit: 108848,
      },
    ],
    ['pm_supportedEntryPoints', [], [ENTRY_POINT]],
    ['pm_supportedEntryPoint', [], [ENTRY_POINT]],
    [
      'pm_getFeeQuotes',
      rest([ENTRY_POINT, CHAIN, { calculateGasLimits: true }]),
      { paymasterAddress: `0x${'cd'.repeat(20)}`, feeQuotes: [], unsupportedTokens: [] },
    ],
    ['pimlico_getUserOperationGasPrice', [], { slow: FEES, standard: FEES, fast: FEES }],
    ['zd_getUserOperationGasPrice', [], { slow: FEES, standard: FEES, fast: FEES }],
    ['biconomy_getGasFeeValues', [], { slow: FEES, standard: FEES, fast: FEES, ...FEES }],
    [
      'pm_supportedERC20Tokens',
      [ENTRY_POINT],
      { paymasterMetadata: { name: 'DApp', address: `0x${'cd'.repeat(20)}` }, tokens: [] },
    ],
    ['pm_paymasterBalance', [], { balance: '0x100', promised: '0x10' }],
  ])('%s answers in the shape that its clients read, case %#', async (method, params, result) => {
    expect(await send(request({ method, params }))).toMatchObject({ status: 200, body: { result } });
  });

  test.each<[string, unknown[], string]>([
    ['pm_getPaymasterStubData', [], 'params[1] must be an EVM address'],
    ['pm_getPaymasterStubData', rest([sender, CHAIN]), mismatch('params[1]')],
    [
      'pm_getPaymasterData',
      rest([ENTRY_POINT]),
      'params[2] must be a 0x hex quantity, a decimal string or a safe integer',
    ],
    ['pm_getPaymasterData', rest([ENTRY_POINT, '0x1']), 'params[2] is chain 1, but this address serves chain 31337'],
    ['pm_sponsorUserOperation', rest([sender]), mismatch('params[1]')],
    ['pm_sponsorUserOperation', rest(['nowhere']), 'params[1] must be an EVM address'],
    [
      'pm_sponsorUserOperation',
      rest([ENTRY_POINT, { validForSeconds: 5 }]),
      'params[2].validForSeconds must be a whole number of seconds from 30 to 86400',
    ],
    [
      'pm_getFeeQuoteOrData',
      rest([{ mode: 'FREE' }]),
      'params[1].mode must be one of: SPONSORED, SPONSORSHIP, SPONSOR, ERC20',
    ],
    [
      'pm_getPaymasterData',
      rest([ENTRY_POINT, CHAIN, { token: sender, mode: 'SPONSORED' }]),
      'params[3].token should not exist with mode SPONSORED: drop token to be sponsored, or mode to pay in the token',
    ],
    [
      'pm_sponsorUserOperation',
      rest([ENTRY_POINT, { token: sender, tokenInfo: { feeTokenAddress: ENTRY_POINT } }]),
      'params[2].token should not differ from tokenInfo.feeTokenAddress: omit one of them',
    ],
    ['pm_supportedERC20Tokens', [sender], mismatch('params[0]')],
  ])('%s names what is wrong with its params, case %#', async (method, params, message) => {
    const { body, asked, status } = await send(request({ method, params }));
    expect({ status, body, asked }).toMatchObject({
      status: method === 'pm_getFeeQuoteOrData' ? 400 : 200,
      body: { error: { code: -32602, message } },
      asked: [],
    });
  });

  test.each(rpcMethods.map(({ method }) => method))('%s answers whatever its params are', async (method) => {
    const part = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<fc.JsonValue>(validOp, ENTRY_POINT, CHAIN, {}, null),
    );
    const body = fc
      .array(part, { maxLength: 5 })
      .map((params) => JSON.parse(JSON.stringify(request({ method, params }))) as unknown);
    await fc.assert(fc.asyncProperty(body, expectAnswered), { numRuns: 200 });
  });

  test.each<[string, object, object]>([
    ['none', {}, { mode: 'SPONSORED', expiryDuration: 300 }],
    [
      "Pimlico's names",
      { validForSeconds: 60, meta: { a: 'b' }, sponsorshipPolicyId: 'sp' },
      { mode: 'SPONSORED', expiryDuration: 60, sponsorshipInfo: { webhookData: { a: 'b' } } },
    ],
    ["Pimlico's token", { token: sender }, { mode: 'ERC20', tokenInfo: { feeTokenAddress: sender } }],
    [
      "Biconomy's options",
      { ...validOptions, calculateGasLimits: false },
      { mode: 'SPONSORED', sponsorshipInfo: validOptions.sponsorshipInfo },
    ],
  ])('a context of %s is read as options', async (_, context, options) => {
    const { asked } = await send(
      request({ method: 'pm_getPaymasterData', params: rest([ENTRY_POINT, CHAIN, context]) }),
    );
    expect(asked[0]!.options).toMatchObject({ ...options, calculateGasLimits: false });
  });

  test.each<[string, object, boolean]>([
    [
      'both limits and the gas for the bundler',
      { callGasLimit: 1, verificationGasLimit: 2, preVerificationGas: 3 },
      false,
    ],
    ['packed limits and the gas for the bundler', { accountGasLimits: PACKED, preVerificationGas: 3 }, false],
    ['one limit', { callGasLimit: 1, preVerificationGas: 3 }, true],
    ['packed limits alone', { accountGasLimits: PACKED }, true],
  ])('gas is calculated on request only where the wallet has left some open: with %s', async (_, gas, isOpen) => {
    const op = { sender, nonce: '0x0', callData: '0x', gasFees: PACKED, ...gas };
    const { asked } = await send(
      request({ method: 'pm_getPaymasterData', params: [op, ENTRY_POINT, CHAIN, { calculateGasLimits: true }] }),
    );
    expect(asked[0]!.options.calculateGasLimits).toBe(isOpen);
  });

  test.each<[string, unknown[]]>([
    ['pm_getPaymasterStubData', [ENTRY_POINT, CHAIN]],
    ['pm_getPaymasterData', [ENTRY_POINT, CHAIN]],
    ['pm_sponsorUserOperation', [ENTRY_POINT]],
    ['pm_sponsorUserOperation', [{ mode: 'ERC20' }]],
  ])('%s hides every reason when the operator wants none shown, case %#', async (method, params) => {
    const reason = { code: 'GAS_TANK_EMPTY', rule: 'gasTank', message: 'It is empty.', hint: 'Fill it.' };
    const run = async (name: ProcedureName) => (name === 'sponsorship.dapp' ? DAPP : { ...ANSWER, reason });
    const answerTo = async (showReasons: boolean): Promise<unknown> => {
      const context = { service: { run } as unknown as Service, chainId: 31337, apiKey: 'key', showReasons };
      const body = request({ method, params: rest(params) });
      return (await dispatch(body, context, (error) => error as EngineError)).body;
    };
    const error = { code: -32050, message: 'The user operation is not sponsored' };
    expect(await answerTo(false)).toEqual({ jsonrpc: '2.0', id: 7, error });
    expect(await answerTo(true)).toMatchObject({ error: { code: -32050, data: reason } });
  });

  test('a stub needs neither gas nor fees', async () => {
    const op = { sender, nonce: '0x0', callData: '0x', callGasLimit: '0x0' };
    expect((await send(request({ method: 'pm_getPaymasterStubData', params: [op, ENTRY_POINT, CHAIN] }))).status).toBe(
      200,
    );
  });
});

test('gas beyond what JavaScript numbers hold is answered to the last digit', async () => {
  const callGasLimit = String(2n ** 120n - 1n);
  const service = { run: async () => ({ ...ANSWER, callGasLimit }) } as unknown as Service;
  const context = { service, chainId: 31337, apiKey: 'key', showReasons: true };
  const { body } = await dispatch(request(), context, (error) => error as EngineError);
  expect(JSON.stringify(body)).toContain(`"callGasLimit":${callGasLimit}`);
});
