import { AbiCoder, Interface } from 'ethers';
import { isInTime } from '../../core/divide-rules.ts';
import type { Facts, Holding } from '../../core/facts.ts';
import type { Policy } from '../../core/policy.ts';
import {
  HOLDING_GAS,
  type HoldingQuestion,
  asksOwner,
  holdingKey,
  holdingQuestions,
} from '../../core/rules/token-holding.ts';
import { byteLength } from '../../core/user-operation/hex-digits.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { loadArtifact } from '../chain/artifacts.ts';
import { callCreation, callWithGas } from '../chain/gas/eth-call.ts';
import { type RpcClient, RpcError, hasReverted, isUnreachable } from '../chain/rpc.ts';

const balances = new Interface(['function balanceOf(address owner) view returns (uint256)']);
const owners = new Interface(['function ownerOf(uint256 tokenId) view returns (address)']);
const multiTokens = new Interface(['function balanceOf(address owner, uint256 id) view returns (uint256)']);

const probeAnswer = 'tuple(bool hasCode, bool succeeded, uint256 size, bytes32 word)[]';
const probeQuestion = 'tuple(address target, bytes data)[]';

/** For the probe's own work; each token has {@link HOLDING_GAS} of its own. */
const PROBE_GAS = 1_000_000n;

/** What a token answered. Of an answer with another length than one word nothing is looked at. */
interface TokenAnswer {
  readonly hasCode: boolean;
  readonly succeeded: boolean;
  readonly size: bigint;
  /** The first word of the answer. */
  readonly word: Hex;
}

type Asked = HoldingQuestion & { readonly data: Hex };

const callOf = (question: HoldingQuestion, sender: Address): Hex => {
  const { standard, tokenId } = question;
  if (asksOwner(question)) return owners.encodeFunctionData('ownerOf', [tokenId]) as Hex;
  if (standard === 'ERC1155') return multiTokens.encodeFunctionData('balanceOf', [sender, tokenId]) as Hex;
  return balances.encodeFunctionData('balanceOf', [sender]) as Hex;
};

const holdingOf = (question: HoldingQuestion, answer: TokenAnswer, sender: Address): Holding => {
  const { hasCode, succeeded, size, word } = answer;
  if (!hasCode) return { failure: 'NO_CONTRACT' };
  if (!succeeded) return { failure: 'REVERTED' };
  if (size !== 32n) return { failure: 'NO_NUMBER' };
  if (!asksOwner(question)) return { held: String(BigInt(word)) };
  if (BigInt(word) >> 160n !== 0n) return { failure: 'NO_NUMBER' };
  return { held: sameAddress(`0x${word.slice(-40)}`, sender) ? '1' : '0' };
};

/** Asks all of them by one call; undefined from nodes that do not allow it. @throws EngineError `CHAIN_UNREACHABLE` */
const askTogether = async (
  rpc: RpcClient,
  questions: readonly Asked[],
): Promise<readonly TokenAnswer[] | undefined> => {
  const { bytecode } = await loadArtifact('HoldingsProbe');
  const coder = AbiCoder.defaultAbiCoder();
  const tuples = questions.map(({ address: target, data }) => [target, data]);
  const argument = coder.encode([probeQuestion, 'uint256'], [tuples, HOLDING_GAS]);
  const gas = PROBE_GAS + HOLDING_GAS * BigInt(questions.length);
  try {
    const answer = await callCreation(rpc, `${bytecode}${argument.slice(2)}`, gas);
    const [rows] = coder.decode([probeAnswer], answer).toArray(true) as [[boolean, boolean, bigint, Hex][]];
    if (rows.length !== questions.length) return undefined;
    return rows.map(([hasCode, succeeded, size, word]) => ({ hasCode, succeeded, size, word }));
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return undefined;
  }
};

/** Asks one by itself. A node does not tell a contract that answers nothing from an address without one. */
const askAlone = async (rpc: RpcClient, { address: to, data }: Asked): Promise<TokenAnswer | undefined> => {
  try {
    const answer = await callWithGas(rpc, to, data, HOLDING_GAS);
    const word: Hex = `0x${answer.slice(2, 66)}`;
    return { hasCode: answer !== '0x', succeeded: true, size: BigInt(byteLength(answer)), word };
  } catch (error) {
    if (error instanceof RpcError && hasReverted(error)) {
      return { hasCode: true, succeeded: false, size: 0n, word: '0x' };
    }
    if (error instanceof RpcError || isUnreachable(error)) return undefined;
    throw error;
  }
};

const ask = async (rpc: RpcClient, questions: readonly Asked[]): Promise<readonly (TokenAnswer | undefined)[]> => {
  try {
    return (
      (await askTogether(rpc, questions)) ?? (await Promise.all(questions.map((question) => askAlone(rpc, question))))
    );
  } catch (error) {
    if (isUnreachable(error)) return [];
    throw error;
  }
};

/**
 * Reads what the sender holds of the tokens that the rules in force at `now` (epoch ms) ask about, at the head of the chain.
 * Undefined where none asks. What cannot be read is in the answer, with the reason why: nobody else is held up by it.
 */
export const readHoldings = async (
  rpc: RpcClient | undefined,
  sender: Address,
  { rules }: Policy,
  now: number,
): Promise<Facts['holdings']> => {
  const questions = holdingQuestions(rules.filter((rule) => isInTime(rule, now)));
  if (questions.length === 0) return undefined;
  const asked = questions.map((question) => ({ ...question, data: callOf(question, sender) }));
  const answers = rpc === undefined ? [] : await ask(rpc, asked);
  const failure = rpc === undefined ? 'NO_NODE' : 'NO_ANSWER';
  return Object.fromEntries(
    questions.map((question, index) => {
      const answer = answers[index];
      return [holdingKey(question), answer === undefined ? { failure } : holdingOf(question, answer, sender)];
    }),
  );
};
