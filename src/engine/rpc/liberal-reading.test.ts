import { describe, expect, test } from 'vitest';
import { ENTRY_POINT, request, send, sender, validOp, without } from '../../../test/support/dispatching.ts';

/**
 * Requests observed from clients of other stacks. By behaviour 2.2, a field that Gasdesk does not need must not make
 * a wallet fail.
 */

const CHAIN = '0x7a69';
const TOKEN = `0x${'cc'.repeat(20)}`;
const STRANGER = `0x${'dd'.repeat(20)}`;

describe('the envelope', () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ['version "2", of Etherspot', { jsonrpc: '2' }, 7],
    ['version "2.0.0"', { jsonrpc: '2.0.0' }, 7],
    ['a null id', { id: null }, null],
    ['members of its own', { extra: 1, meta: { skip: true } }, 7],
  ])('with %s is read', async (_, change, id) => {
    const { status, body, asked } = await send(request(change));
    expect([status, body, asked.length]).toMatchObject([200, { jsonrpc: '2.0', id }, 1]);
  });

  test('with null params has none', async () => {
    const sent = request({ method: 'pm_supportedEntryPoints', params: null });
    expect(await send(sent)).toMatchObject({ status: 200, body: { result: [ENTRY_POINT] } });
  });
});

describe('an operation', () => {
  const readOf = async (op: object) => {
    const { status, body, asked } = await send(request({ params: [op, { mode: 'SPONSORED' }] }));
    expect([status, 'error' in body ? body.error : undefined]).toEqual([200, undefined]);
    return asked[0]!;
  };

  test('with members of its own is read without them, and stored with them', async () => {
    const op = { ...validOp, sponsor: { name: 'DApp' }, isFinal: false, data: null, constructor: 'x' };
    const { userOperation, received } = await readOf(op);
    for (const member of ['sponsor', 'isFinal', 'data']) expect(Object.keys(userOperation)).not.toContain(member);
    expect(received).toEqual([op, { mode: 'SPONSORED' }]);
  });

  test.each(['initCode', 'factory', 'factoryData', 'signature', 'paymasterAndData', 'paymaster', 'paymasterData'])(
    '%s of null is not there',
    async (field) => {
      const [told, untold] = [await readOf({ ...validOp, [field]: null }), await readOf(without(validOp, field))];
      expect(told.userOperation[field as 'factory'] ?? undefined).toEqual(untold.userOperation[field as 'factory']);
    },
  );

  test.each(['nonce', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const)('%s of 0x is zero', async (field) => {
    expect((await readOf({ ...validOp, [field]: '0x' })).userOperation[field]).toBe(0n);
  });

  test.each(['maxFeePerGas', 'maxPriorityFeePerGas'] as const)('%s of null is not there', async (field) => {
    expect((await readOf({ ...validOp, [field]: null })).userOperation[field]).toBeUndefined();
  });

  test("an authorization of permissionless' Pimlico client has no digits for zero", async () => {
    const authorization = { address: sender, chainId: CHAIN, nonce: '0x', yParity: '0x', r: null, s: null, v: null };
    const { userOperation } = await readOf({ ...validOp, eip7702Auth: { ...authorization, extra: 1 } });
    expect(userOperation.eip7702Auth).toMatchObject({ chainId: 31337n, nonce: 0n, yParity: 0n });
  });
});

describe('options', () => {
  const readAs = async (method: string, rest: unknown[]) => {
    const { status, body, asked } = await send(request({ method, params: [validOp, ...rest] }));
    expect([status, 'error' in body ? body.error : undefined]).toEqual([200, undefined]);
    return asked[0]!.options;
  };
  const inToken = { mode: 'ERC20', tokenInfo: { feeTokenAddress: TOKEN } };
  const sponsored = { mode: 'SPONSORED', expiryDuration: 300, calculateGasLimits: false };

  test.each<[string, object, object]>([
    ["Biconomy's", { mode: 'SPONSORED' }, sponsored],
    ['the spelling of its documents', { mode: 'SPONSORSHIP' }, sponsored],
    ["Etherspot's", { mode: 'sponsor' }, sponsored],
    ['any letter case', { mode: 'Sponsored' }, sponsored],
    ["Etherspot's tokens", { mode: 'erc20', token: TOKEN }, inToken],
    ['null for what there is not', { mode: 'SPONSORED', sponsorshipInfo: null, tokenInfo: null }, sponsored],
    ['null for defaults', { mode: 'SPONSORED', calculateGasLimits: null, expiryDuration: null }, sponsored],
    ['nothing in its parts', { mode: 'SPONSORED', sponsorshipInfo: {}, tokenInfo: {} }, sponsored],
    [
      'null in its parts',
      { mode: 'SPONSORED', sponsorshipInfo: { webhookData: null, smartAccountInfo: { name: null } } },
      sponsored,
    ],
    [
      'members of its own',
      {
        mode: 'SPONSORED',
        skipPatchCallData: true,
        limit: 1,
        sponsorshipInfo: { extra: 1, smartAccountInfo: { name: 'a', version: 'b', extra: 1 } },
        tokenInfo: { extra: 1 },
      },
      sponsored,
    ],
    ['the shortest validity', { mode: 'SPONSORED', expiryDuration: 30 }, { expiryDuration: 30 }],
    ['the longest', { mode: 'SPONSORED', expiryDuration: 86_400 }, { expiryDuration: 86_400 }],
  ])('in %s are read', async (_, options, read) => {
    expect(await readAs('pm_sponsorUserOperation', [options])).toMatchObject(read);
  });

  test.each<[string, unknown, object]>([
    ['none', null, sponsored],
    ["userop.js', of Stackup", { type: 'payg' }, sponsored],
    ["userop.js' token", { type: 'erc20token', token: TOKEN }, inToken],
    ["Pimlico's token", { token: TOKEN }, inToken],
    ['feeTokenAddress', { feeTokenAddress: TOKEN }, inToken],
    ["Alchemy's token", { policyId: 'p', erc20Context: { tokenAddress: TOKEN, maxTokenAmount: 5 } }, inToken],
    ["Alchemy's gas manager", { policyId: 'p', webhookData: 'text' }, { ...sponsored, policyId: 'p' }],
    ['its list of policies', { policyId: ['p', 'q'] }, { ...sponsored, policyId: ['p', 'q'] }],
    ["Pimlico's policy", { sponsorshipPolicyId: 'sp' }, { ...sponsored, sponsorshipPolicyId: 'sp' }],
    ["Candide's", { sponsorshipPolicyId: undefined, signingPhase: 'commit' }, { ...sponsored, signingPhase: 'commit' }],
    ["Startale's", { paymasterId: 'pm', calculateGasLimits: true }, { ...sponsored, calculateGasLimits: true }],
    ['a token twice', { token: TOKEN, feeTokenAddress: TOKEN.toUpperCase().replace('0X', '0x') }, inToken],
  ])('a context of %s is read', async (_, context, read) => {
    const options = await readAs('pm_getPaymasterStubData', [ENTRY_POINT, CHAIN, context]);
    const { calculateGasLimits: _isAsked, ...others } = read as typeof sponsored;
    expect(options).toMatchObject(others);
  });

  test.each<[object, string]>([
    [{ mode: 'FREE' }, 'params[3].mode must be one of: SPONSORED, SPONSORSHIP, SPONSOR, ERC20'],
    [{ mode: 5 }, 'params[3].mode must be one of: SPONSORED, SPONSORSHIP, SPONSOR, ERC20'],
    [{ token: 'USDC' }, 'params[3].token must be an EVM address'],
    [{ erc20Context: { tokenAddress: 1 } }, 'params[3].erc20Context.tokenAddress must be an EVM address'],
    [
      { token: TOKEN, erc20Context: { tokenAddress: STRANGER } },
      'params[3].erc20Context.tokenAddress should not differ from token: omit one of them',
    ],
    [
      { mode: 'sponsor', feeTokenAddress: TOKEN },
      'params[3].feeTokenAddress should not exist with mode SPONSORED: drop feeTokenAddress to be sponsored, or mode to pay in the token',
    ],
    [{ calculateGasLimits: 'yes' }, 'params[3].calculateGasLimits must be a boolean value'],
    [{ validForSeconds: '300' }, 'params[3].validForSeconds must be a whole number of seconds from 30 to 86400'],
    [{ policyId: 5 }, 'params[3].policyId must be a string, or an array of at most 100 strings'],
  ])('%j is nonsense, and named', async (context, message) => {
    const params = [validOp, ENTRY_POINT, CHAIN, context];
    const { status, body, asked } = await send(request({ method: 'pm_getPaymasterData', params }));
    expect({ status, body, asked }).toMatchObject({
      status: 200,
      body: { error: { code: -32602, message } },
      asked: [],
    });
  });
});

describe('a context', () => {
  const read = async (context: unknown) => {
    const params = [validOp, ENTRY_POINT, CHAIN, context];
    return send(request({ method: 'pm_getPaymasterData', params }));
  };

  test.each([[''], [false], [[]], [null], [undefined], [{}]])('%j asks for a sponsorship', async (context) => {
    const { body, asked } = await read(context);
    expect([body, asked]).toMatchObject([{ result: {} }, [{ options: { mode: 'SPONSORED' } }]]);
    expect(asked[0]!.options).not.toHaveProperty('policyId');
  });

  test("of Pimlico's clients of 2023 is the id of a policy alone", async () => {
    expect((await read('sp_any')).asked).toMatchObject([{ options: { mode: 'SPONSORED', policyId: 'sp_any' } }]);
    const params = [validOp, ENTRY_POINT, 'sp_any'];
    expect((await send(request({ params }))).asked).toMatchObject([{ options: { policyId: 'sp_any' } }]);
  });

  test.each([[0], [7], [true], [['sp_any']]])('%j is nonsense, and named', async (context) => {
    expect(await read(context)).toMatchObject({
      body: { error: { message: 'params[3] must be an object' } },
      asked: [],
    });
  });
});

describe('params that a method has no use for are ignored', () => {
  test.each<[string, unknown[]]>([
    ['pm_paymasterBalance', [ENTRY_POINT]],
    ['pm_paymasterBalance', [null, {}]],
    ['pm_supportedEntryPoints', [CHAIN]],
    ['pm_supportedEntryPoints', [ENTRY_POINT]],
    ['pm_supportedERC20Tokens', [null]],
    ['pm_supportedERC20Tokens', [ENTRY_POINT, CHAIN]],
    ['pm_sponsorUserOperation', [validOp, { mode: 'SPONSORED' }, {}]],
    ['pm_getPaymasterData', [validOp, ENTRY_POINT, CHAIN, {}, {}]],
  ])('%s, case %#', async (method, params) => {
    expect(await send(request({ method, params }))).toMatchObject({ status: 200 });
  });
});
