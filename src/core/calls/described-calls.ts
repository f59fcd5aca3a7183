import { FunctionFragment, Interface, type ParamType } from 'ethers';
import { z } from 'zod';
import { entryPointAt } from '../entry-points/registry.ts';
import type { DecisionRecord } from '../../shared/schema/decision.ts';
import { type Address, type Hex, address, hex, sameAddress } from '../../shared/schema/hex.ts';
import { decodeCalls } from './decode-calls.ts';
import type { DecodedCall } from './decoding.ts';
import { type ContractMethod, stateChangingMethods } from '../contract-abi/methods.ts';
import type { decodedCall } from '../../shared/schema/inspection.ts';

/** What a call is described with, of a registered contract. */
interface NamedContract {
  readonly name: string;
  readonly address: Address;
  readonly abi: string;
}

interface DescribedCalls {
  readonly calls: z.output<typeof decodedCall>[];
  /** Why the calls cannot be decoded; null if they can. */
  readonly error: string | null;
}

const SELECTOR_LENGTH = 10; // 0x and four bytes
const WORD_DIGITS = 64;
const MAX_ARGS = 50;
const MAX_ARG_LENGTH = 200;

/** The parts of a decided request that are used. In a review, they come from an untrusted file. */
const decidedRequest = z.object({
  userOperation: z.object({ sender: address, callData: hex }),
  calls: z
    .array(z.object({ target: z.string(), contract: z.string().optional(), method: z.string().optional() }))
    .catch([])
    .default([]),
});

const cutRequest = z.object({ userOperation: z.object({ callData: z.object({ truncated: z.literal(true) }) }) });

type TracedNames = z.output<typeof decidedRequest>['calls'][number];

/** The method according to its signature when the decision was made, if the selector matches. */
const tracedMethod = (signature: string | undefined, selector: string) => {
  try {
    const fragment = FunctionFragment.from(`function ${signature ?? ''}`);
    return fragment.selector === selector ? { name: fragment.name, signature: fragment.format() } : undefined;
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string =>
  Array.isArray(value) ? `[${value.slice(0, MAX_ARGS).map(textOf).join(', ')}]` : String(value);

/** The least number of words that a value takes, for example 998,001 for `uint8[999][999]`. */
const leastWords = (type: ParamType): number => {
  if (type.isArray()) return type.arrayLength > 0 ? type.arrayLength * leastWords(type.arrayChildren) : 1;
  if (type.isTuple()) return type.components.reduce((sum, component) => sum + leastWords(component), 0);
  return 1;
};

/** The call's arguments as text; null if the data does not match the method. */
const argsOf = ({ name, signature }: { name: string; signature: string }, data: Hex): string[] | null => {
  try {
    const method = new Interface([`function ${signature}`]);
    const words = method.getFunction(name)?.inputs.reduce((sum, input) => sum + leastWords(input), 0) ?? 0;
    // For a fixed-length array, the decoder would create an object per element before reading the data.
    if (words > data.length / WORD_DIGITS) return null;
    const values = method.decodeFunctionData(name, data).toArray() as unknown[];
    return values.slice(0, MAX_ARGS).map((value) => textOf(value).slice(0, MAX_ARG_LENGTH));
  } catch {
    return null;
  }
};

/** Cache of the methods of contracts, because many calls of a request may go to the same contract. */
const methods = new WeakMap<NamedContract, readonly ContractMethod[]>();

const methodsOf = (contract: NamedContract): readonly ContractMethod[] => {
  const known = methods.get(contract);
  if (known !== undefined) return known;
  const read = stateChangingMethods(contract.abi);
  methods.set(contract, read);
  return read;
};

/** Describes a call with the names of the registered contracts, or else with the names recorded in the decision. */
export const describeCall = (
  { target, value, data, operation }: DecodedCall,
  contracts: readonly NamedContract[],
  traced?: TracedNames,
): DescribedCalls['calls'][number] => {
  const contract = contracts.find(({ address }) => sameAddress(address, target));
  const selector = data.slice(0, SELECTOR_LENGTH);
  const method =
    (contract && methodsOf(contract).find((candidate) => candidate.selector === selector)) ??
    tracedMethod(traced?.method, selector);
  return {
    target,
    contract: contract?.name ?? traced?.contract ?? null,
    method: method?.signature ?? null,
    args: method === undefined ? null : argsOf(method, data),
    valueWei: value.toString(),
    data,
    operation,
  };
};

/**
 * The calls of a decided operation, with the names of the contracts that are registered now, or else with those
 * recorded in the decision. A review has only the recorded names.
 */
export const callsOf = (
  { request, entryPoint }: DecisionRecord,
  contracts: readonly NamedContract[],
): DescribedCalls => {
  if (cutRequest.safeParse(request).success) {
    return { calls: [], error: 'The calldata was too long to store. The decision holds its beginning and its hash.' };
  }
  const read = decidedRequest.safeParse(request);
  if (!read.success) return { calls: [], error: 'The decision has no operation.' };
  const { userOperation, calls } = read.data;
  const { sender, callData } = userOperation;
  const decoding = decodeCalls(callData, { sender, entryPointVersion: entryPointAt(entryPoint)?.version });
  if (decoding.outcome === 'undecodable') return { calls: [], error: decoding.detail };
  const traced = (call: DecodedCall, index: number): TracedNames | undefined =>
    calls[index]?.target.toLowerCase() === call.target.toLowerCase() ? calls[index] : undefined;
  return {
    calls: decoding.calls.map((call, index) => describeCall(call, contracts, traced(call, index))),
    error: null,
  };
};
