import { Interface } from 'ethers';
import { STUB_SIGNATURE } from '../../../core/paymaster-layouts/layout.ts';
import { byteLength } from '../../../core/user-operation/hex-digits.ts';
import { type Address, type Hex, addressKey } from '../../../shared/schema/hex.ts';
import type { UserOperation } from '../../../shared/schema/user-operation.ts';
import { loadArtifact } from '../artifacts.ts';
import { type RpcClient, RpcError } from '../rpc.ts';
import { creationCall, validationCall } from './account-calls.ts';
import { IMPLEMENTATION, senderCreatorOf } from './call-gas.ts';
import { withAuthorization } from './delegation.ts';
import { callWithOverride, mergeOverrides, readCode } from './eth-call.ts';

const probeAbi = new Interface([
  'function tryValidation(address senderCreator, bytes creation, address sender, bytes head, uint256 gasLimit, bytes[] signatures) returns (tuple(bool success, uint256 gasUsed, bytes data)[] outcomes)',
]);

/** More gas than any account needs. Limited, because one call simulates validation with all signatures. */
const MAX_VALIDATION_GAS = 5_000_000n;

/** Lengths of accounts' signatures: one or two keys, sometimes preceded by a mode, a time or a validator. */
const LENGTHS = [65, 64, 66, 69, 71, 77, 85, 86, 97, 129, 130, 512];

const filled = (digits: string, length: number): Hex => `0x${digits.repeat(length)}`;

/** The client's signature, one that recovers to no address, an empty one, and two different ones for each length. */
const signaturesFor = ({ signature }: UserOperation): Hex[] => {
  const lengths = new Set([byteLength(signature), ...LENGTHS]);
  lengths.delete(0);
  const contents = [...lengths].flatMap((length) => [filled('00', length), filled('ff', length)]);
  return [...new Set([signature, STUB_SIGNATURE, ...contents, '0x' as const])];
};

interface Outcome {
  readonly signature: Hex;
  readonly success: boolean;
  readonly gasUsed: bigint;
  readonly data: Hex;
}

/**
 * True if all outcomes are the same and use the same gas, so that nothing indicates that the account reads the
 * signature.
 */
const isSameFailure = (outcomes: readonly Outcome[]): boolean => {
  const [first] = outcomes;
  const gasOf = new Map(outcomes.map(({ signature, gasUsed }) => [byteLength(signature), gasUsed]));
  return outcomes.every(
    ({ signature, success, gasUsed, data }) =>
      success === first?.success && data === first.data && gasUsed === gasOf.get(byteLength(signature)),
  );
};

/** The outcomes of the probe; empty if the node ignores state overrides and therefore calls the real EntryPoint. */
const readOutcomes = (answer: Hex, signatures: readonly Hex[]): Outcome[] => {
  if (answer === '0x') return [];
  const [outcomes] = probeAbi.decodeFunctionResult('tryValidation', answer) as unknown as [[boolean, bigint, Hex][]];
  return outcomes.map(([success, gasUsed, data], index) => ({
    success,
    gasUsed,
    data,
    signature: signatures[index] ?? '0x',
  }));
};

/** An account must return a word. The EntryPoint accepts nothing else. */
const hasAnswered = ({ success, data }: Outcome): boolean => success && byteLength(data) >= 32;

/**
 * How the account fails to validate an operation, if it fails with every signature: `0x`, or the selector of its error.
 * Undefined if the signature may matter, or if the node cannot simulate the validation. Clients send dummies of all
 * kinds, so a single failing signature proves nothing. An account ignores the signature only if it fails in the same
 * way, with the same gas, for all kinds.
 *
 * @param op with paymaster data that cannot be used on chain
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const findValidationFailure = async (
  rpc: RpcClient,
  entryPoint: Address,
  op: UserOperation,
): Promise<Hex | undefined> => {
  if (op.verificationGasLimit > MAX_VALIDATION_GAS) return undefined;
  const signatures = signaturesFor(op);
  // The signature is the last part. If it is empty, only its length remains to be cut off.
  const head = validationCall({ ...op, signature: '0x' }).slice(0, -64);
  const account = [senderCreatorOf(entryPoint), creationCall(op), addressKey(op.sender), head];
  const data = probeAbi.encodeFunctionData('tryValidation', [...account, op.verificationGasLimit, signatures]) as Hex;
  try {
    const [{ deployedBytecode: code }, entryPointCode] = await Promise.all([
      loadArtifact('ValidationProbe'),
      readCode(rpc, entryPoint),
    ]);
    const override = { [entryPoint]: { code }, [IMPLEMENTATION]: { code: entryPointCode } };
    const answer = await callWithOverride(rpc, entryPoint, data, mergeOverrides(withAuthorization(op), override));
    const outcomes = readOutcomes(answer, signatures);
    const [first] = outcomes;
    if (first === undefined || outcomes.some(hasAnswered) || !isSameFailure(outcomes)) return undefined;
    return first.success || byteLength(first.data) < 4 ? '0x' : (first.data.slice(0, 10) as Hex);
  } catch (error) {
    // The node does not support state overrides, or has a lower gas limit.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
};
