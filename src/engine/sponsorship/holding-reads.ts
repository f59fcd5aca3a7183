import { AbiCoder, Interface } from 'ethers';
import { isInTime } from '../../core/decision/divide-rules.ts';
import type { Facts, Holding } from '../../core/facts/facts.ts';
import type { Policy } from '../../core/policy/policy.ts';
import {
  HOLDING_GAS,
  type HoldingQuestion,
  isOwnerQuestion,
  holdingKey,
  holdingQuestions,
} from '../../core/rules/token-holding.ts';
import { byteLength } from '../../core/user-operation/hex-digits.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { loadArtifact } from '../chain/artifacts.ts';
import { callCreation, callWithGas } from '../chain/gas/eth-call.ts';
import { type RpcClient, RpcError, hasReverted, isUnreachable, scheduleOf } from '../chain/rpc.ts';

const balances = new Interface(['function balanceOf(address owner) view returns (uint256)']);
const owners = new Interface(['function ownerOf(uint256 tokenId) view returns (address)']);
const multiTokens = new Interface(['function balanceOf(address owner, uint256 id) view returns (uint256)']);

const probeAnswer = 'tuple(bool hasCode, bool succeeded, uint256 size, bytes32 word)[]';
const probeQuestion = 'tuple(address target, bytes data)[]';

/** Gas for the probe itself. */
const PROBE_GAS = 1_000_000n;
/** Bytes of an answer for one token, which the probe returns as code. */
const PART_BYTES = 224n;

/**
 * Maximum number of tokens per call. The gas of the call stays below the 30 M that nodes allow, and its code below the
 * limit of EIP-3860 (49,152 bytes; at most 224 per token).
 */
const MAX_TOGETHER = 50;

/** Covers what a transaction with 68 bytes of data costs before the call, under every gas schedule. */
const CALL_ITSELF_GAS = 30_000n;

/** Maximum number of simultaneous calls if each token needs a separate call. */
const MAX_AT_ONCE = 4;

/** Errors of nodes that refuse a call without `to`, or with this much code or gas. */
const CREATION_REFUSAL =
  /init ?code|code ?size|contract.?creat|creat\w* (?:a )?contract|missing (?:field )?\W?to\b|\bgas\b/i;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** The probe never reverts. If it seems to revert, the node does not execute it correctly. */
const refusesCreation = (error: RpcError): boolean =>
  error.code === INVALID_PARAMS ||
  hasReverted(error) ||
  (error.code !== INTERNAL_ERROR && CREATION_REFUSAL.test(error.message));

/** The answer of a token. It is read only if it is exactly one word. */
interface TokenAnswer {
  readonly hasCode: boolean;
  readonly succeeded: boolean;
  readonly size: bigint;
  readonly word: Hex;
}

type HoldingCall = HoldingQuestion & { readonly data: Hex };

const callOf = (question: HoldingQuestion, sender: Address): Hex => {
  const { standard, tokenId } = question;
  if (isOwnerQuestion(question)) return owners.encodeFunctionData('ownerOf', [tokenId]) as Hex;
  if (standard === 'ERC1155') return multiTokens.encodeFunctionData('balanceOf', [sender, tokenId]) as Hex;
  return balances.encodeFunctionData('balanceOf', [sender]) as Hex;
};

const holdingOf = (question: HoldingQuestion, answer: TokenAnswer, sender: Address): Holding => {
  const { hasCode, succeeded, size, word } = answer;
  if (!hasCode) return { failure: 'NO_CONTRACT' };
  if (!succeeded) return { failure: 'REVERTED' };
  if (size !== 32n) return { failure: 'NO_NUMBER' };
  if (!isOwnerQuestion(question)) return { held: String(BigInt(word)) };
  if (BigInt(word) >> 160n !== 0n) return { failure: 'NO_NUMBER' };
  return { held: sameAddress(`0x${word.slice(-40)}`, sender) ? '1' : '0' };
};

const probeAnswers = (answer: Hex, count: number): readonly TokenAnswer[] | undefined => {
  try {
    const [rows] = AbiCoder.defaultAbiCoder().decode([probeAnswer], answer).toArray(true) as [
      [boolean, boolean, bigint, Hex][],
    ];
    if (rows.length !== count) return undefined;
    return rows.map(([hasCode, succeeded, size, word]) => ({ hasCode, succeeded, size, word }));
  } catch {
    return undefined;
  }
};

/**
 * Reads all tokens in one call; undefined if the node does not allow it.
 *
 * @throws RpcError if the node refuses for another reason
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
const readBatch = async (
  rpc: RpcClient,
  questions: readonly HoldingCall[],
): Promise<readonly TokenAnswer[] | undefined> => {
  const { bytecode } = await loadArtifact('HoldingsProbe');
  const tuples = questions.map(({ address: target, data }) => [target, data]);
  const argument = AbiCoder.defaultAbiCoder().encode([probeQuestion, 'uint256'], [tuples, HOLDING_GAS]);
  const gas = PROBE_GAS + (HOLDING_GAS + PART_BYTES * scheduleOf(rpc).codeByte) * BigInt(questions.length);
  try {
    const answer = await callCreation(rpc, `${bytecode}${argument.slice(2)}`, gas);
    return answer && probeAnswers(answer, questions.length);
  } catch (error) {
    if (error instanceof RpcError && refusesCreation(error)) return undefined;
    throw error;
  }
};

/**
 * Reads one token in its own call. The node's answer does not distinguish a contract that returns nothing from an
 * address without a contract.
 *
 * @throws RpcError if the node refuses
 * @throws EngineError `CHAIN_UNREACHABLE`
 */
const readOne = async (rpc: RpcClient, { address: to, data }: HoldingCall): Promise<TokenAnswer> => {
  try {
    const answer = await callWithGas(rpc, to, data, HOLDING_GAS + CALL_ITSELF_GAS);
    const word: Hex = `0x${answer.slice(2, 66)}`;
    return { hasCode: answer !== '0x', succeeded: true, size: BigInt(byteLength(answer)), word };
  } catch (error) {
    if (!(error instanceof RpcError && hasReverted(error))) throw error;
    return { hasCode: true, succeeded: false, size: 0n, word: '0x' };
  }
};

const inParts = async (
  questions: readonly HoldingCall[],
  size: number,
  readPart: (part: readonly HoldingCall[]) => Promise<readonly TokenAnswer[]>,
): Promise<TokenAnswer[]> => {
  const answers: TokenAnswer[] = [];
  for (let start = 0; start < questions.length; start += size) {
    answers.push(...(await readPart(questions.slice(start, start + size))));
  }
  return answers;
};

const readEach = (rpc: RpcClient, questions: readonly HoldingCall[]): Promise<TokenAnswer[]> =>
  inParts(questions, MAX_AT_ONCE, (part) => Promise.all(part.map((question) => readOne(rpc, question))));

/** Empty if the node fails to answer one of the calls. The calls are not repeated. */
const readAll = async (rpc: RpcClient, questions: readonly HoldingCall[]): Promise<readonly TokenAnswer[]> => {
  try {
    return await inParts(
      questions,
      MAX_TOGETHER,
      async (part) => (await readBatch(rpc, part)) ?? (await readEach(rpc, part)),
    );
  } catch (error) {
    if (error instanceof RpcError || isUnreachable(error)) return [];
    throw error;
  }
};

/**
 * Reads the sender's holdings at the head of the chain, for the rules in force at `now` (epoch ms). Undefined, without a
 * promise, if no rule needs them. A failed read becomes part of the result, with its reason, so that nothing else fails because of it.
 */
export const readHoldings = (
  rpc: RpcClient | undefined,
  sender: Address,
  { rules }: Policy,
  now: number,
): Promise<Facts['holdings']> | undefined => {
  const questions = holdingQuestions(rules, (rule) => isInTime(rule, now));
  return questions.length === 0 ? undefined : answers(rpc, sender, questions);
};

const answers = async (
  rpc: RpcClient | undefined,
  sender: Address,
  questions: readonly HoldingQuestion[],
): Promise<Facts['holdings']> => {
  const calls = questions.map((question) => ({ ...question, data: callOf(question, sender) }));
  const read = rpc === undefined ? [] : await readAll(rpc, calls);
  const failure = rpc === undefined ? 'NO_NODE' : 'NO_ANSWER';
  return Object.fromEntries(
    questions.map((question, index) => {
      const answer = read[index];
      return [holdingKey(question), answer === undefined ? { failure } : holdingOf(question, answer, sender)];
    }),
  );
};
