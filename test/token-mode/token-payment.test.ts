import { Interface, MaxUint256 } from 'ethers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DecodedCall } from '../../src/core/calls/decoding.ts';
import { decodeCalls } from '../../src/core/calls/decode-calls.ts';
import { RpcError, createRpcClient } from '../../src/engine/chain/rpc.ts';
import { type Payment, checkTokenPayment } from '../../src/core/rules/token-payment.ts';
import { readTokenHoldings } from '../../src/engine/token-mode/token-holdings.ts';
import { explainDenial } from '../../src/core/decision/rule-words.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { useTokenWorld } from '../support/token-world.ts';

const world = useTokenWorld();
const SPENDER: Address = `0x${'9a'.repeat(20)}`;
const STRANGER: Address = `0x${'99'.repeat(20)}`;
const abi = new Interface([
  'function approve(address, uint256)',
  'function increaseAllowance(address, uint256)',
  'function decreaseAllowance(address, uint256)',
  'function transfer(address, uint256)',
  'function transferFrom(address, address, uint256)',
  'function executeBatch(address[] dest, bytes[] func)',
]);
let senders = 1;
let sender: Address;
/** Another account for every test: balances and allowances begin at nothing. */
beforeEach(async () => {
  senders += 1;
  sender = world().wallet(senders);
  await world().rpc.send('anvil_setBalance', [sender, '0xde0b6b3a7640000']);
});

const has = (units: bigint) => world().token.send('mint', [sender, units]);
const approves = (units: bigint) => world().token.send('approve', [SPENDER, units], senders);
const encode = (method: string, args: unknown[]): Hex => abi.encodeFunctionData(method, args) as Hex;
const call = (method: string, args: unknown[], fields: Partial<DecodedCall> = {}): DecodedCall => ({
  target: world().token.address,
  value: 0n,
  data: encode(method, args),
  operation: 'call',
  ...fields,
});
const questionOf = ({ token = world().feeToken(), prefundUnits = 0n }: Partial<Payment> = {}) => ({
  chainId: world().chainId,
  sender,
  spender: SPENDER,
  treasury: world().wallet(1),
  token,
  prefundUnits: prefundUnits === 0n ? undefined : prefundUnits,
});
const check = async (fields: Partial<Payment> = {}, calls: DecodedCall[] = [], reservedUnits = 0n) => {
  const question = questionOf(fields);
  const holdings = await readTokenHoldings(world().rpc, question);
  expect(holdings).not.toBeNull();
  const payment: Payment = {
    sender,
    spender: SPENDER,
    token: question.token,
    maxUnits: 1_000_000n,
    prefundUnits: 0n,
    trial: { isTaken: true },
    decoding: { outcome: 'decoded', calls, via: [] },
    ...fields,
  };
  return checkTokenPayment(payment, holdings!, reservedUnits);
};
const codeOf = async (...args: Parameters<typeof check>): Promise<string> => (await check(...args)).code;

describe('allowance and balance', () => {
  test('to the unit are enough', async () => {
    await has(1_000_000n);
    await approves(1_000_000n);
    expect(await check()).toMatchObject({ outcome: 'pass', code: 'USER_CAN_PAY' });
    expect(await codeOf({ maxUnits: 1_000_001n })).toBe('TOKEN_ALLOWANCE_SHORT');
  });

  test('are worth nothing where the token bars the account: without them the paymaster would pay', async () => {
    await has(2_000_000n);
    await approves(2_000_000n);
    expect(await check()).toMatchObject({ code: 'USER_CAN_PAY' });
    expect(await check({ trial: { isTaken: false } })).toMatchObject({
      outcome: 'deny',
      code: 'TOKEN_TRANSFER_REFUSED',
      evidence: { sender, token: world().token.address },
    });
  });

  test("are not counted twice: what the user's other operations may still take is gone", async () => {
    await has(1_500_000n);
    await approves(1_500_000n);
    expect(await check({}, [], 500_000n)).toMatchObject({ code: 'USER_CAN_PAY' });
    expect(await check({}, [], 500_001n)).toMatchObject({
      code: 'TOKEN_ALLOWANCE_SHORT',
      evidence: { heldUnits: '999999', reservedUnits: '500001', missingUnits: '1' },
    });
  });

  test('an allowance that is short is reported with the missing amount, the spender and what to do', async () => {
    await has(5_000_000n);
    await approves(400_000n);
    const verdict = await check();
    expect(verdict).toMatchObject({
      outcome: 'deny',
      code: 'TOKEN_ALLOWANCE_SHORT',
      evidence: { heldUnits: '400000', neededUnits: '1000000', missingUnits: '600000' },
    });
    const { message, hint } = explainDenial('TOKEN_ALLOWANCE_SHORT', verdict.evidence);
    expect(message).toContain('0.6 USDT (600000 units) is missing');
    expect(hint).toContain(`Approve ${SPENDER} for at least 1 USDT (1000000 units)`);
  });

  test('a balance that is short has a code of its own', async () => {
    await has(999_999n);
    await approves(MaxUint256);
    expect(await check()).toMatchObject({
      outcome: 'deny',
      code: 'TOKEN_BALANCE_SHORT',
      evidence: { heldUnits: '999999', missingUnits: '1' },
    });
  });

  test('an operation that costs nothing needs neither', async () => {
    expect(await codeOf({ maxUnits: 0n })).toBe('USER_CAN_PAY');
  });
});

describe("the operation's own batch", () => {
  test.each([
    [
      'more than there is',
      51_000_000n,
      'has 50 USDT (50000000 units); after the calls of this operation nothing is left',
    ],
    ['all but a unit', 49_999_999n, 'after the calls of this operation 0.000001 USDT (1 unit) is left'],
  ])('that sends %s away shows the balance before, and what is left', async (_what, units, words) => {
    await has(50_000_000n);
    await approves(MaxUint256);
    const verdict = await check({}, [call('transfer', [STRANGER, units])]);
    expect(verdict).toMatchObject({ code: 'TOKEN_BALANCE_SHORT', evidence: { beforeUnits: '50000000' } });
    expect(explainDenial('TOKEN_BALANCE_SHORT', verdict.evidence).message).toContain(words);
  });

  const enough = () => call('approve', [SPENDER, 1_000_000n]);

  test('may approve, as it is encoded by the account', async () => {
    await has(1_000_000n);
    const callData = encode('executeBatch', [[world().token.address], [enough().data]]);
    const decoding = decodeCalls(callData, { sender, entryPointVersion: '0.6' });
    expect(await codeOf({ decoding })).toBe('USER_CAN_PAY');
  });

  test.each<[string, () => DecodedCall[], string]>([
    ['the last approval counts', () => [enough(), call('approve', [SPENDER, 0n])], 'TOKEN_ALLOWANCE_SHORT'],
    ['an approval of less', () => [call('approve', [SPENDER, 999_999n])], 'TOKEN_ALLOWANCE_SHORT'],
    ['of another spender', () => [call('approve', [STRANGER, MaxUint256])], 'TOKEN_ALLOWANCE_SHORT'],
    ['of another token', () => [call('approve', [SPENDER, 10n ** 9n], { target: STRANGER })], 'TOKEN_ALLOWANCE_SHORT'],
    ['by a delegatecall', () => [{ ...enough(), operation: 'delegatecall' }], 'TOKEN_ALLOWANCE_SHORT'],
    ['cut short', () => [{ ...enough(), data: enough().data.slice(0, -2) as Hex }], 'TOKEN_ALLOWANCE_SHORT'],
    ['an increase', () => [call('increaseAllowance', [SPENDER, 1_000_000n])], 'USER_CAN_PAY'],
    ['a decrease', () => [enough(), call('decreaseAllowance', [SPENDER, 1n])], 'TOKEN_ALLOWANCE_SHORT'],
    ['tokens sent away', () => [enough(), call('transfer', [STRANGER, 1n])], 'TOKEN_BALANCE_SHORT'],
    ['more than there is', () => [enough(), call('transfer', [STRANGER, MaxUint256])], 'TOKEN_BALANCE_SHORT'],
    ['moved away', () => [enough(), call('transferFrom', [sender, STRANGER, 1n])], 'TOKEN_BALANCE_SHORT'],
    ["another's tokens moved", () => [enough(), call('transferFrom', [STRANGER, SPENDER, 9n])], 'USER_CAN_PAY'],
    ['sent to itself', () => [enough(), call('transfer', [sender, 1_000_000n])], 'USER_CAN_PAY'],
  ])('%s', async (_what, calls, code) => {
    await has(1_000_000n);
    expect(await codeOf({}, calls())).toBe(code);
  });

  test('that cannot be decoded approves nothing', async () => {
    await has(1_000_000n);
    const decoding = { outcome: 'undecodable', code: 'UNKNOWN_SELECTOR', detail: '' } as const;
    expect(await codeOf({ decoding })).toBe('TOKEN_ALLOWANCE_SHORT');
  });
});

describe('a fee that is taken up front', () => {
  const prefund = { prefundUnits: 600_000n };
  const treasuryApproves = (units: bigint) => world().token.send('approve', [SPENDER, units], 1);

  test('has to be approved before the operation: its batch runs too late', async () => {
    await treasuryApproves(MaxUint256);
    await has(1_000_000n);
    const batch = [call('approve', [SPENDER, 10n ** 9n])];
    expect(await check(prefund, batch)).toMatchObject({
      code: 'TOKEN_ALLOWANCE_SHORT',
      evidence: { prefund: true, neededUnits: '600000' },
    });
    await approves(600_000n);
    expect(await codeOf(prefund, batch)).toBe('USER_CAN_PAY');
    expect(await check(prefund)).toMatchObject({
      code: 'TOKEN_ALLOWANCE_SHORT',
      evidence: { prefund: false, neededUnits: '400000' },
    });
  });

  test('is not taken where the treasury could not give the rest back', async () => {
    await treasuryApproves(599_999n);
    await has(1_000_000n);
    await approves(1_000_000n);
    const error = { code: 'PAYMASTER_NOT_READY', data: { missing: 'treasuryAllowance' } };
    await expect(check(prefund)).rejects.toMatchObject(error);
  });
});

describe('nothing is signed blindly', () => {
  test('for an address where no token is, or a contract that knows no balances', async () => {
    for (const address of [STRANGER, world().nativeFeed.address]) {
      const question = questionOf({ token: world().feeToken({ address }) });
      expect(await readTokenHoldings(world().rpc, question)).toBeNull();
    }
  });

  test('for a contract that never comes to an end: a node that gives up on it is not away', async () => {
    const address: Address = `0x${'1e'.repeat(20)}`;
    await world().rpc.send('anvil_setCode', [address, '0x5b600056']); // JUMPDEST, and back to it
    const question = questionOf({ token: world().feeToken({ address }) });
    expect(await readTokenHoldings(world().rpc, question)).toBeNull();
  });

  test('where the node is unreachable or refuses: what the provider says stays inside', async () => {
    const unreachable = createRpcClient('http://127.0.0.1:1', 'The node of chain 31337', 1000);
    await expect(readTokenHoldings(unreachable, questionOf())).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    const call = () => Promise.reject(new RpcError(-32005, 'quota of key SECRET', undefined));
    const error = { code: 'CHAIN_UNREACHABLE', message: 'The node of chain 31337 answered with an error' };
    await expect(readTokenHoldings({ ...world().rpc, call }, questionOf())).rejects.toMatchObject(error);
  });
});
