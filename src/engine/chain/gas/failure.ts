import { ErrorFragment, Interface } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { byteLength } from '../../user-operation/hex-digits.ts';
import { RpcError } from '../rpc.ts';

const abi = new Interface([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
]);

/** Solidity's panic codes that a contract is likely to end with. */
const panics: Readonly<Record<string, string>> = {
  '0x01': 'assertion failed',
  '0x11': 'arithmetic overflow or underflow',
  '0x12': 'division by zero',
  '0x21': 'value out of range of its enum',
  '0x31': 'pop of an empty array',
  '0x32': 'array index out of bounds',
  '0x41': 'out of memory',
};

const MAX_LENGTH = 300;

/**
 * Texts of contracts and nodes as they may be shown: without control characters, cut; and without long runs of hex, in
 * which an account could tell its owner the signature over a draft.
 */
const shown = (text: string): string =>
  text
    .replace(/\p{C}+/gu, ' ')
    .replace(/(?:0x)?[\da-f]{65,}/gi, '…')
    .slice(0, MAX_LENGTH);

/** The name and arguments of the error that revert data holds; undefined if it is none of `errors`, or malformed. */
export const parseRevert = (errors: Interface, data: Hex): { name: string; values: unknown[] } | undefined => {
  try {
    const error = errors.parseError(data);
    // ethers finds Error(string) and Panic(uint256) also where they are not among the errors.
    const isOne = errors.fragments.some((one) => ErrorFragment.isFragment(one) && one.selector === error?.selector);
    return error === null || !isOne ? undefined : { name: error.name, values: error.args.toArray() };
  } catch {
    return undefined; // e.g. a reason that is not UTF-8: contracts may send anything
  }
};

/**
 * What revert data says: the text of Error(string) or FailedOp, the kind of panic, or a custom error's selector. From
 * v0.7 on, the EntryPoint hands on what an account or paymaster reverted with, which is put behind its own words.
 */
export const revertReason = (data: Hex): string => {
  const error = parseRevert(abi, data);
  if (error?.name === 'Panic') {
    const code = `0x${(error.values[0] as bigint).toString(16).padStart(2, '0')}`;
    return `panic ${code} (${panics[code] ?? 'unknown'})`;
  }
  if (error?.name === 'FailedOpWithRevert') {
    const [, words, inner] = error.values as [bigint, string, Hex];
    return inner === '0x' ? shown(words) : shown(`${words}: ${revertReason(inner)}`);
  }
  if (error !== undefined) return shown(String(error.values.at(-1)));
  if (byteLength(data) === 0) return 'no reason given';
  return byteLength(data) < 4 ? `revert data ${data}` : `custom error ${data.slice(0, 10)}`;
};

/** What the sender of an operation can do about a failure of validation, by the EntryPoint's AA code. */
const hints: Readonly<Record<string, string>> = {
  AA10: 'The account exists already: leave initCode empty.',
  AA13: 'The factory named in initCode reverted, does not exist or ran out of gas.',
  AA14: 'initCode creates another account than sender.',
  AA15: 'initCode does not create sender.',
  AA20: 'Send the initCode that creates the account.',
  AA23: 'The account refused the operation: a dummy signature must have the length and form of a real one.',
  AA25: 'Read the nonce from EntryPoint.getNonce just before sending.',
};

/**
 * The failure that an EntryPoint or a bundler tells in its words, e.g. `AA23 reverted: only owner`:
 * `GAS_ESTIMATION_FAILED` with `data.aaCode` where there is one, and `data.reason`, the words behind it.
 */
export const validationFailure = (text: string, cause: unknown): EngineError => {
  const words = shown(text);
  const aaCode = /\bAA\d\d\b/.exec(words)?.[0];
  const reason = aaCode === undefined ? words : words.slice(words.indexOf(aaCode) + aaCode.length).trim();
  const hint = aaCode === undefined ? undefined : hints[aaCode];
  return new EngineError(
    'GAS_ESTIMATION_FAILED',
    hint === undefined ? words : `${words}. ${hint}`,
    { ...(aaCode !== undefined && { aaCode }), reason: reason.replace(/^reverted: /, '') },
    { cause },
  );
};

/** What to throw for a simulation that failed: with the reason, where it is one that the EntryPoint or a node told. */
export const simulationFailure = (error: unknown): unknown => {
  if (!(error instanceof RpcError)) return error;
  const { data = '0x', message } = error;
  if (data !== '0x') return validationFailure(revertReason(data), error);
  if (/revert|\bAA\d\d\b|\bgas\b|invalid opcode/i.test(message)) {
    return validationFailure(`The simulation failed: ${message}`, error);
  }
  // What a provider says of itself is not for the DApp's users: it may hold the operator's key.
  return new EngineError('CHAIN_UNREACHABLE', 'The node refused to simulate the operation', {}, { cause: error });
};

/** For `catch`. @throws what {@link simulationFailure} makes of the error */
export const failSimulation = (error: unknown): never => {
  throw simulationFailure(error);
};
