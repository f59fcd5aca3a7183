import { FunctionFragment } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';

/** A state-changing function of a registered contract. */
export interface ContractMethod {
  /** Display name: the bare name, or the full signature if the name is overloaded. */
  label: string;
  name: string;
  /** Canonical signature, e.g. `mint(uint256)`. */
  signature: string;
  /** First four bytes of keccak256(signature). */
  selector: Hex;
}

/** Name of a function or an error. */
export const IDENTIFIER = /^[A-Za-z_$][\w$]{0,199}$/;
/**
 * Solidity ABI types with which calls are decoded. The pattern restricts them, because a hostile type could make
 * decoding expensive.
 */
const TYPE = /^(?:address|bool|string|tuple|(?:bytes|u?int)(?:[1-9]\d{0,2})?)(?:\[(?:[1-9]\d{0,8})?\]){0,16}$/;

/**
 * A parameter with tuples nested up to `levels` deep. The limit ends the recursion; no contract needs deeper tuples.
 */
export const parameter = (levels: number): z.ZodType =>
  z.object({
    type: z.string().regex(TYPE),
    components: (levels === 0 ? z.never() : z.array(parameter(levels - 1))).optional(),
  });
/** The fields that identify a function and show whether it changes state. Others, such as outputs, are ignored. */
const functionEntry = z.object({
  name: z.string().regex(IDENTIFIER),
  inputs: z.array(parameter(16)).default([]),
  stateMutability: z.enum(['pure', 'view', 'nonpayable', 'payable']).optional(),
  // Older ABIs have these fields instead of `stateMutability`. ethers understands them.
  constant: z.boolean().optional(),
  payable: z.boolean().optional(),
});
/** An entry without a type is a "function" (Solidity ABI specification, JSON). */
export const abiSchema = z.array(z.looseObject({ type: z.string().default('function') })).max(5000);

const stateChanging = new Set(['nonpayable', 'payable']);

/** A function as ethers reads it; undefined if ethers refuses it. */
const fragmentOf = (entry: object): FunctionFragment | undefined => {
  try {
    return FunctionFragment.from(entry);
  } catch {
    return undefined;
  }
};

/**
 * The functions of a contract ABI, in its order. ethers refuses some names of parameters and some types of outputs.
 * Such a function is read without them, because calls are recognised by its name and the types of its parameters.
 *
 * @throws Error if the text is not the JSON of an ABI
 */
export const functionsOf = (abi: string): FunctionFragment[] => {
  if (!abi.isWellFormed()) throw new SyntaxError('Half a surrogate pair is no text');
  return abiSchema
    .parse(JSON.parse(abi))
    .filter((entry) => entry.type === 'function')
    .map((entry) => {
      const needed = functionEntry.parse(entry);
      return fragmentOf(entry) ?? fragmentOf({ ...entry, outputs: [] }) ?? FunctionFragment.from(needed);
    });
};

const readMethods = (abi: string): Omit<ContractMethod, 'label'>[] =>
  functionsOf(abi)
    .filter((fragment) => stateChanging.has(fragment.stateMutability))
    .map((fragment) => ({
      name: fragment.name,
      signature: fragment.format('sighash'),
      selector: fragment.selector as Hex,
    }));

/**
 * The state-changing (nonpayable and payable) functions of a contract ABI, in its order.
 *
 * @throws EngineError `VALIDATION` if the text is not the JSON of an ABI
 */
export const stateChangingMethods = (abi: string): ContractMethod[] => {
  let methods: Omit<ContractMethod, 'label'>[];
  try {
    methods = readMethods(abi);
  } catch (error) {
    const message = 'abi must be a JSON ABI string';
    throw new EngineError('VALIDATION', message, { errors: [message] }, { cause: error });
  }
  const bySignature = new Map(methods.map((method) => [method.signature, method]));
  const uses = Map.groupBy(bySignature.values(), (method) => method.name);
  return [...bySignature.values()].map((method) => ({
    label: uses.get(method.name)?.length === 1 ? method.name : method.signature,
    ...method,
  }));
};

const named = (method: ContractMethod, entry: string): boolean => method.name === entry || method.signature === entry;

/**
 * The methods that a whitelist names. An entry is a name, which covers all overloads, or a full signature.
 * @throws EngineError `UNKNOWN_CONTRACT_METHOD` for the first entry that names no method
 */
export const whitelisted = (methods: readonly ContractMethod[], entries: readonly string[]): ContractMethod[] => {
  const stranger = entries.find((entry) => !methods.some((method) => named(method, entry)));
  if (stranger !== undefined) {
    throw new EngineError('UNKNOWN_CONTRACT_METHOD', `Unknown method: ${stranger.slice(0, 200)}`, {
      methods: methods.map((method) => method.label).slice(0, 100),
    });
  }
  return methods.filter((method) => entries.some((entry) => named(method, entry)));
};
