import { describe, expect, test } from 'vitest';
import { EngineError, type ErrorCode, errorTable } from './errors.ts';

const SERVER_ERRORS: Partial<Record<ErrorCode, number>> = {
  INTERNAL: 500,
  CHAIN_UNREACHABLE: 503,
  DECISION_OUTDATED: 503,
  STORAGE_FAILED: 503,
  STORE_UNAVAILABLE: 503,
  LOG_ROLLED_BACK: 503,
  WALLET_UNREACHABLE: 503,
  TRANSACTION_MAYBE_SENT: 503,
};

describe.each(Object.keys(errorTable) as ErrorCode[])('%s', (code) => {
  const error = new EngineError(code);

  test('blames the caller, unless it is our bug, chain, wallet, disk or database are away, or settings change: clients retry 5xx', () => {
    const expected = SERVER_ERRORS[code];
    if (expected === undefined) expect(error.status).toSatisfy((status: number) => status >= 400 && status < 500);
    else expect(error.status).toBe(expected);
  });

  test('has a code of JSON-RPC and words that stand alone', () => {
    // JSON-RPC 2.0 reserves -32768 to -32000. Of these, -32099 to -32000 are for errors that a server defines.
    expect(error.rpcCode).toSatisfy((rpc: number) => Number.isInteger(rpc) && rpc >= -32700 && rpc <= -32000);
    expect(error.message.trim()).not.toBe('');
    expect(error.message).not.toMatch(/undefined|null|\[object/);
  });
});

test.each<[ErrorCode, number, number]>([
  ['PARSE_ERROR', -32700, 400],
  ['INVALID_REQUEST', -32600, 400],
  ['METHOD_NOT_FOUND', -32601, 400],
  ['VALIDATION', -32602, 400],
  ['INTERNAL', -32603, 500],
  ['UNKNOWN_API_KEY', -32051, 401],
  ['PAYMASTER_NOT_READY', -32052, 400],
  ['VAULT_LOCKED', -32052, 400],
  ['CONTRACT_MISMATCH', -32052, 400],
  ['CHAIN_UNREACHABLE', -32053, 503],
  ['STORAGE_FAILED', -32053, 503],
  ['STORE_UNAVAILABLE', -32053, 503],
  ['LOG_ROLLED_BACK', -32053, 503],
  ['GAS_ESTIMATION_FAILED', -32054, 400],
  ['NOT_SPONSORED', -32050, 400],
  ['FEE_TOKEN_REQUIRED', -32056, 400],
  ['TOKEN_NOT_SUPPORTED', -32057, 400],
  ['RATE_LIMITED', -32029, 429],
])('%s is as behaviour 2.7 says, so that clients can act on the number', (code, rpc, status) => {
  expect([errorTable[code].rpc, errorTable[code].status]).toEqual([rpc, status]);
});

test('what a client matches on is worded as documented', () => {
  expect(new EngineError('FEE_TOKEN_REQUIRED').message).toBe('tokenInfo.feeTokenAddress is required in ERC20 mode');
});

test('an error keeps what it is given, and its cause to itself', () => {
  const cause = new Error('postgres://user:password@host');
  const error = new EngineError(
    'VALIDATION',
    'name must be a string',
    { errors: ['name must be a string'] },
    { cause },
  );
  expect(error).toMatchObject({ code: 'VALIDATION', message: 'name must be a string', cause });
  expect(JSON.stringify({ message: error.message, data: error.data })).not.toContain('password');
});

test('no client takes a refusal for something else: EIP-1474 and retry lists have no meaning for its code', () => {
  const meant = (rpc: number): boolean => rpc <= -32000 && rpc >= -32016;
  expect(Object.values(errorTable).filter(({ rpc }) => meant(rpc))).toEqual([]);
});
