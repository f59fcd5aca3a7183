import { FunctionFragment } from 'ethers';
import { z } from 'zod';
import { EngineError } from '../../shared/errors.ts';
import type { Hex } from '../../shared/schema/hex.ts';

/** A state-changing function of a registered contract. */
export interface ContractMethod {
  /** Name as shown: the bare name, or the full signature where the name is overloaded. */
  label: string;
  name: string;
  /** Canonical signature, e.g. `mint(uint256)`. */
  signature: string;
  /** First four bytes of keccak256(signature). */
  selector: Hex;
}

const abiEntry = z.looseObject({ type: z.string() });
const abiSchema = z.array(abiEntry).max(5000);
const stateChanging = new Set(['nonpayable', 'payable']);

const abiFault = (): EngineError => {
  const message = 'abi must be a JSON ABI string';
  return new EngineError('VALIDATION', message, { errors: [message] });
};

const readEntries = (abi: string): z.output<typeof abiSchema> => {
  try {
    return abiSchema.parse(JSON.parse(abi));
  } catch {
    throw abiFault();
  }
};

const readFunction = (entry: unknown): FunctionFragment => {
  try {
    return FunctionFragment.from(entry);
  } catch {
    throw abiFault();
  }
};

/**
 * The state-changing functions of a contract ABI (nonpayable and payable), in the order of the ABI.
 *
 * @throws EngineError `VALIDATION` if the text is not the JSON of an ABI
 */
export const stateChangingMethods = (abi: string): ContractMethod[] => {
  const fragments = readEntries(abi)
    .filter((entry) => entry.type === 'function')
    .map(readFunction)
    .filter((fragment) => stateChanging.has(fragment.stateMutability));
  const bySignature = new Map(fragments.map((fragment) => [fragment.format('sighash'), fragment]));
  const uses = Map.groupBy(bySignature.values(), (fragment) => fragment.name);
  return [...bySignature].map(([signature, fragment]) => ({
    label: uses.get(fragment.name)?.length === 1 ? fragment.name : signature,
    name: fragment.name,
    signature,
    selector: fragment.selector as Hex,
  }));
};

const named = (method: ContractMethod, entry: string): boolean => method.name === entry || method.signature === entry;

/**
 * The methods that a whitelist names; an entry is a name (all its overloads) or a full signature.
 *
 * @throws EngineError `UNKNOWN_CONTRACT_METHOD` for the first entry that names none
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
