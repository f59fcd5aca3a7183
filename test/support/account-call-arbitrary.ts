import { concat, dataLength, dataSlice, toBeHex } from 'ethers';
import fc from 'fast-check';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import {
  BATCH,
  MULTI_SEND,
  SINGLE,
  STATIC,
  ZERO_ADDRESS,
  encodeArguments,
  encodeExecute,
  encodeExecute7579,
  encodeFunction,
  encodeSafe,
  hex,
} from './account-call-data.ts';
import type { AccountForm } from './npm-accounts.ts';

type Call = [target: Address, value: bigint, data: Hex];

const TUPLES = '(address,uint256,bytes)[]';
const EXECUTE_USER_OP = '0x8dd7712f';
/** Contracts that accept every call, as `acceptingCode` makes them. */
export const ACCEPTING: readonly Address[] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
/** A contract's code that accepts every call: `STOP`. */
export const acceptingCode = '0x00';

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const data = fc.oneof(fc.constantFrom<Hex>('0x', '0xa0712d68', hex(`0xa0712d68${toBeHex(3, 32).slice(2)}`)), bytes(80));
const value = fc.constantFrom(0n, 0n, 1n, 32n);
/** A call, also to `others`. */
const oneCall = (others: readonly Address[]): fc.Arbitrary<Call> => {
  const accepting = { weight: 8, arbitrary: fc.constantFrom(...ACCEPTING) };
  const target = others.length === 0 ? accepting.arbitrary : fc.oneof(accepting, fc.constantFrom(...others));
  return fc.tuple(target, value, data);
};
const calls = (others: readonly Address[], minLength = 0): fc.Arbitrary<Call[]> =>
  fc.array(oneCall(others), { minLength, maxLength: 4 });

const batchData = (list: Call[]): Hex => encodeArguments([TUPLES], [list]);
const BATCH_OF_BATCHES: Hex = `0x01000000000078210002${'00'.repeat(22)}`;
const EXECUTOR: Hex = `0x01000000000078210001${'00'.repeat(22)}`;
const DELEGATE: Hex = `0xff${'00'.repeat(31)}`;

const parallel = (signature: string, withValues: boolean) => (list: Call[]) => {
  const types = withValues ? ['address[]', 'uint256[]', 'bytes[]'] : ['address[]', 'bytes[]'];
  const [targets, values, datas] = [0, 1, 2].map((index) => list.map((call) => call[index]));
  return encodeFunction(
    `${signature}(${types.join(',')})`,
    types,
    withValues ? [targets, values, datas] : [targets, datas],
  );
};
const single = ([to, wei, input]: Call) => concat([to, toBeHex(wei, 32), input]);

/** A batch, without and with data after the calls. */
const batch = (others: readonly Address[]): fc.Arbitrary<Hex> =>
  fc.oneof(
    calls(others).map(batchData),
    fc.tuple(calls(others), bytes(40)).map(([list, after]) => encodeArguments([TUPLES, 'bytes'], [list, after])),
  );

/** What each form encodes; the arguments are what its clients choose. */
const encodings: Record<AccountForm, (others: readonly Address[]) => fc.Arbitrary<Hex>> = {
  simple: (others) => oneCall(others).map((call) => encodeExecute(...call)),
  simpleBatch06: (others) => calls(others).map(parallel('executeBatch', false)),
  simpleBatch07: (others) => calls(others).map(parallel('executeBatch', true)),
  batchOfTuples: (others) => calls(others).map((list) => encodeFunction(`executeBatch(${TUPLES})`, [TUPLES], [list])),
  erc7579: (others) =>
    fc.oneof(
      oneCall(others).map((call) => encodeExecute7579(SINGLE, single(call))),
      calls(others).map((list) => encodeExecute7579(BATCH, batchData(list))),
      calls(others).map((list) => encodeExecute7579(hex(`0x0101${'00'.repeat(30)}`), batchData(list))),
    ),
  batch7579: (others) => calls(others).map((list) => encodeExecute7579(BATCH, batchData(list))),
  executor: (others) => batch(others).map((execution) => encodeExecute7579(EXECUTOR, execution)),
  batchOfBatches: (others) =>
    fc
      .array(calls(others, 1).map(batchData), { maxLength: 3 })
      .map((batches) => encodeExecute7579(BATCH_OF_BATCHES, encodeArguments(['bytes[]'], [batches]))),
  metamask: (others) =>
    oneCall(others).map((call) =>
      encodeFunction('execute((address,uint256,bytes))', ['(address,uint256,bytes)'], [call]),
    ),
  safe: (others) =>
    fc
      .tuple(oneCall(others), fc.constantFrom(0, 1))
      .map(([call, operation]) => encodeSafe(call[0], call[2], operation)),
  biconomy: (others) =>
    fc.oneof(
      oneCall(others).map((call) =>
        encodeFunction('execute_ncC(address,uint256,bytes)', ['address', 'uint256', 'bytes'], call),
      ),
      calls(others, 1).map(parallel('executeBatch_y6U', true)),
      calls(others, 1).map(parallel('executeBatch', true)),
    ),
};

/** Encodings as the clients of an account make them, to contracts that accept every call. */
export const honestCallData = (forms: readonly AccountForm[]): fc.Arbitrary<Hex> =>
  fc.oneof(...forms.map((form) => encodings[form]([])));

/** Modes of ERC-7579 that accounts may read in different ways. */
const oddMode = fc
  .tuple(
    fc.constantFrom('00', '01', '02', 'fe', 'ff'),
    fc.constantFrom('00', '01', '02'),
    fc.constantFrom('00000000', '78210001', '78210002', '78210003', 'deadbeef'),
    fc.constantFrom('00'.repeat(22), 'ff'.repeat(22)),
  )
  .map(([call, exec, selector, payload]): Hex => `0x${call}${exec}00000000${selector}${payload}`);

const odd7579 = (others: readonly Address[]): fc.Arbitrary<Hex> => {
  const execution = fc.oneof(
    oneCall(others).map((call) => single(call)),
    oneCall(others).map((call) => concat([call[0], call[2]])),
    batch(others),
    fc.array(batch(others), { maxLength: 3 }).map((batches) => encodeArguments(['bytes[]'], [batches])),
    bytes(200),
  );
  return fc
    .tuple(fc.oneof(oddMode, fc.constantFrom(SINGLE, BATCH, STATIC, DELEGATE, EXECUTOR, BATCH_OF_BATCHES)), execution)
    .map(([mode, inner]) => encodeExecute7579(mode, inner));
};

/** A change to bytes: of a whole word or of one byte, or of the length. */
const change = fc.record({
  kind: fc.constantFrom('word', 'add', 'flip', 'truncate', 'insert', 'append', 'repeat'),
  at: fc.nat(),
  word: fc.oneof(
    fc.nat(40).map((count) => BigInt(count) * 32n),
    fc.nat(5).map(BigInt),
    fc.constantFrom(...ACCEPTING.map(BigInt), 1n << 160n, (1n << 256n) - 32n, (1n << 256n) - 1n, (1n << 64n) - 1n),
    fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  ),
  byte: fc.nat(255),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const apply = (callData: Hex, { kind, at, word, byte }: Change): Hex => {
  const size = dataLength(callData);
  const words = Math.max(1, Math.floor((size - 4) / 32));
  const start = Math.min(size, 4 + 32 * (at % words));
  const end = Math.min(size, start + 32);
  const [head, tail] = [dataSlice(callData, 0, start), dataSlice(callData, end)];
  const old = end - start === 32 ? BigInt(dataSlice(callData, start, end)) : 0n;
  const position = at % (size + 1);
  const [before, after] = [dataSlice(callData, 0, position), dataSlice(callData, position)];
  switch (kind) {
    case 'word':
      return hex(concat([head, toBeHex(word, 32), tail]));
    case 'add':
      return hex(concat([head, toBeHex((old + (byte % 2 === 0 ? 32n : (1n << 256n) - 32n)) % (1n << 256n), 32), tail]));
    case 'flip':
      return hex(
        concat([
          before,
          dataLength(after) > 0 ? toBeHex(byte, 1) : '0x',
          dataSlice(after, Math.min(1, dataLength(after))),
        ]),
      );
    case 'truncate':
      return hex(before);
    case 'insert':
      return hex(concat([head, toBeHex(word, 32), dataSlice(callData, start)]));
    case 'append':
      return hex(concat([callData, toBeHex(word, 32)]));
    default:
      return hex(concat([callData, dataSlice(callData, Math.min(4, size))]));
  }
};

/**
 * CallData of every form, whole and changed by a few words or bytes, and random bytes behind known selectors; with and
 * without the prefix of `executeUserOp`.
 */
export const anyCallData = (selectors: readonly string[], account: Address): fc.Arbitrary<Hex> => {
  const others = [account, ZERO_ADDRESS, MULTI_SEND];
  const whole = fc.oneof(
    { weight: 3, arbitrary: odd7579(others) },
    ...Object.values(encodings).map((encode) => ({ weight: 1, arbitrary: encode(others) })),
  );
  const changed = fc
    .tuple(whole, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([callData, changes]) => changes.reduce(apply, callData));
  const random = fc
    .tuple(fc.constantFrom(...selectors), bytes(300))
    .map(([selector, rest]) => hex(concat([selector, rest])));
  const bare = fc.oneof(
    { weight: 3, arbitrary: whole },
    { weight: 6, arbitrary: changed },
    { weight: 1, arbitrary: random },
  );
  const prefixed = bare.map((callData) => hex(concat([EXECUTE_USER_OP, callData])));
  return fc.oneof({ weight: 5, arbitrary: bare }, { weight: 1, arbitrary: prefixed });
};
