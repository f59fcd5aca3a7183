import { ErrorFragment, Interface } from 'ethers';
import { EngineError } from '../../../shared/errors.ts';
import type { Hex } from '../../../shared/schema/hex.ts';
import { aaCodeIn, findAaCode } from '../../../core/entry-points/registry.ts';
import { byteLength } from '../../../core/user-operation/hex-digits.ts';
import { RpcError } from '../rpc.ts';

const abi = new Interface([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'error Eip7702SenderWithoutCode(address sender)',
  'error Eip7702SenderNotDelegate(address sender)',
]);

/** Solidity panic codes that are likely in practice. */
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

/** Makes a contract's text printable: shortens it, and removes control characters and long runs of hex. */
export const shown = (text: string): string =>
  text
    .replace(/\p{C}+/gu, ' ')
    .replace(/(?:0x)?[\da-f]{65,}/gi, '…')
    .slice(0, MAX_LENGTH);

/** In bytes. An account may revert with a megabyte of text, which would take a third of a second to decode. */
const MAX_DECODED = 16_384;

/** Name and arguments of the error in revert data; undefined if it is not one of `errors`, malformed or too long. */
export const parseRevert = (errors: Interface, data: Hex): { name: string; values: unknown[] } | undefined => {
  if (byteLength(data) > MAX_DECODED) return undefined;
  try {
    const error = errors.parseError(data);
    // ethers also recognises Error(string) and Panic(uint256) if they are not among the errors.
    const isOne = errors.fragments.some((one) => ErrorFragment.isFragment(one) && one.selector === error?.selector);
    return error === null || !isOne ? undefined : { name: error.name, values: error.args.toArray() };
  } catch {
    return undefined; // The data is malformed, for example a reason that is not UTF-8: contracts may return anything.
  }
};

const panicWords = (code: bigint): string => {
  const hex = `0x${code.toString(16).padStart(2, '0')}`;
  const kind = panics[hex];
  return kind === undefined ? 'panic of an unknown kind' : `panic ${hex} (${kind})`;
};

/**
 * The text of Error(string), the kind of panic, or the selector of a custom error. Use only for calls without a
 * paymaster signature, because the called contract chooses the text.
 */
export const revertReason = (data: Hex): string => {
  const error = parseRevert(abi, data);
  if (error?.name === 'Panic') return panicWords(error.values[0] as bigint);
  if (error?.name === 'Error') return shown(String(error.values[0]));
  if (byteLength(data) === 0) return 'no reason given';
  return byteLength(data) < 4 ? `revert data ${data}` : `custom error ${data.slice(0, 10)}`;
};

/** The EntryPoint's messages that contain no AA code, verbatim. */
const plainWords = new Set(['sender has no code', 'not an EIP-7702 delegate']);

/** Custom errors that replace these messages from v0.9 on. */
const namedWords: Readonly<Record<string, string>> = {
  Eip7702SenderWithoutCode: 'sender has no code',
  Eip7702SenderNotDelegate: 'not an EIP-7702 delegate',
};

/** What the operation's sender can do about a validation failure, by the EntryPoint's AA code. */
const hints: Readonly<Record<string, string>> = {
  AA10: 'The account already exists. Leave initCode empty.',
  AA13: 'The factory in initCode reverted, has no code, or ran out of gas.',
  AA14: 'initCode creates an account other than the sender.',
  AA15: 'initCode does not create the sender.',
  AA20: 'Send the initCode that creates the account.',
  AA23: 'The account rejected the operation. A dummy signature must have the length and format of a real one.',
  AA25: 'Read the nonce from EntryPoint.getNonce just before sending.',
};

/** A revert error of a contract. The selector is the only part that comes from the contract. */
interface ErrorName {
  readonly selector: string;
  /** `Error(string)`, the kind of panic, or the selector. */
  readonly words: string;
}

/** The parts of a failure that may be shown, if the operation contains a draft's signature. */
export interface PublicFailure {
  readonly aaCode?: string | undefined;
  readonly error?: ErrorName | undefined;
  readonly words: string;
}

const errorOf = (data: Hex): ErrorName | undefined => {
  if (byteLength(data) < 4) return undefined;
  const selector = data.slice(0, 10);
  const error = parseRevert(abi, data);
  if (error?.name === 'Panic') return { selector, words: panicWords(error.values[0] as bigint) };
  return { selector, words: error?.name === 'Error' ? 'Error(string)' : `custom error ${selector}` };
};

/**
 * The parts of revert data that may be shown: the EntryPoint's code, and the error that it passes on from the account
 * or the paymaster.
 */
export const publicFailureOf = (data: Hex): Omit<PublicFailure, 'words'> & { readonly words?: string } => {
  const { name, values = [] } = parseRevert(abi, data) ?? {};
  if (name === 'FailedOp') return { aaCode: aaCodeIn(String(values[1])) };
  if (name === 'FailedOpWithRevert') return { aaCode: aaCodeIn(String(values[1])), error: errorOf(values[2] as Hex) };
  if (name === 'Error' && plainWords.has(String(values[0]))) return { words: String(values[0]) };
  const words = namedWords[name ?? ''];
  if (words !== undefined) return { words };
  return { error: errorOf(data) };
};

/**
 * `GAS_ESTIMATION_FAILED` with `data.aaCode` and `data.selector` if known, and Gasdesk's own message as `data.reason`.
 * Nothing else may be shown: the account, its factory, the paymaster and the token can read the draft's signature, so
 * their error texts may contain it. Selectors and gas could leak it too, but a draft's signature cannot be used.
 */
export const validationFailure = ({ aaCode, error, words }: PublicFailure, cause: unknown): EngineError => {
  const reason = findAaCode(aaCode ?? '')?.words ?? words;
  const hint = aaCode === undefined ? undefined : hints[aaCode];
  const named = aaCode === undefined ? reason : `${aaCode} ${reason}`;
  const sentence = error === undefined ? named : `${named}: ${error.words}`;
  return new EngineError(
    'GAS_ESTIMATION_FAILED',
    hint === undefined ? sentence : `${sentence}. ${hint}`,
    { ...(aaCode !== undefined && { aaCode }), ...(error !== undefined && { selector: error.selector }), reason },
    { cause },
  );
};

const SIMULATION_FAILED = 'The simulation failed';

/** The error to throw for a failed simulation. It contains the AA code, if the EntryPoint or a node reports one. */
export const simulationFailure = (error: unknown): unknown => {
  if (!(error instanceof RpcError)) return error;
  const { data = '0x', message } = error;
  if (data !== '0x') return validationFailure({ words: SIMULATION_FAILED, ...publicFailureOf(data) }, error);
  if (/revert|\bAA\d\d\b|\bgas\b|invalid opcode/i.test(message)) {
    return validationFailure({ aaCode: aaCodeIn(message), words: SIMULATION_FAILED }, error);
  }
  // A provider's message is not shown to the DApp's users, because it may contain the operator's key.
  return new EngineError(
    'CHAIN_UNREACHABLE',
    'The node rejected the simulation of the operation',
    {},
    { cause: error },
  );
};

/** Handler for `catch`. @throws the result of {@link simulationFailure} */
export const failSimulation = (error: unknown): never => {
  throw simulationFailure(error);
};
