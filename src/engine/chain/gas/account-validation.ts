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

/** More than any account needs. It has a bound because one simulating call tries all signatures. */
const MOST_VALIDATION_GAS = 5_000_000n;

/** Lengths of what accounts take for a signature: of one or two keys, with a mode, a time, or a validator before it. */
const LENGTHS = [65, 64, 66, 69, 71, 77, 85, 86, 97, 129, 130, 512];

const filled = (digits: string, length: number): Hex => `0x${digits.repeat(length)}`;

/** The client's own, one that recovers to nobody, none, and of each length two that every reader tells apart. */
const signaturesFor = ({ signature }: UserOperation): Hex[] => {
  const lengths = new Set([byteLength(signature), ...LENGTHS]);
  lengths.delete(0);
  const contents = [...lengths].flatMap((length) => [filled('00', length), filled('ff', length)]);
  return [...new Set([signature, STUB_SIGNATURE, ...contents, '0x' as const])];
};

/** What came of one signature. */
interface Outcome {
  readonly signature: Hex;
  readonly success: boolean;
  readonly gasUsed: bigint;
  readonly data: Hex;
}

/** True where nothing shows that the account has looked at the signatures: it fails alike, and uses the same gas. */
const isSameFailure = (outcomes: readonly Outcome[]): boolean => {
  const [first] = outcomes;
  const gasOf = new Map(outcomes.map(({ signature, gasUsed }) => [byteLength(signature), gasUsed]));
  return outcomes.every(
    ({ signature, success, gasUsed, data }) =>
      success === first?.success && data === first.data && gasUsed === gasOf.get(byteLength(signature)),
  );
};

/** None where the node ignores state overrides, and asks the EntryPoint itself. */
const readOutcomes = (answer: Hex, signatures: readonly Hex[]): Outcome[] => {
  if (answer === '0x') return [];
  const [outcomes] = probeAbi.decodeFunctionResult('tryValidation', answer) as unknown as [[boolean, bigint, Hex][]];
  return outcomes.map(([success, gasUsed, data], index) => ({
    ...{ success, gasUsed, data, signature: signatures[index] ?? '0x' },
  }));
};

/** An account answers with a word; anything else is no answer to the EntryPoint. */
const hasAnswered = ({ success, data }: Outcome): boolean => success && byteLength(data) >= 32;

/**
 * Whether the account fails to validate an operation whatever its signature: `0x`, or the selector of the error that it
 * reverts with. Undefined where a signature may make a difference, and where the node cannot simulate that. Clients ask with
 * dummies of any form, so that one signature fails says nothing: only an account that fails with all kinds of them in the
 * same way, for the same gas, does not look at them.
 *
 * @param op with paymaster data that is good for nothing
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
export const findValidationFailure = async (
  rpc: RpcClient,
  entryPoint: Address,
  op: UserOperation,
): Promise<Hex | undefined> => {
  if (op.verificationGasLimit > MOST_VALIDATION_GAS) return undefined;
  const signatures = signaturesFor(op);
  // The signature is the last part: its length and nothing else, where it is empty.
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
    // Nodes that know no state overrides, or allow less gas.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
};
