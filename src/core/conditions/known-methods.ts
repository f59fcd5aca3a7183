import { functionsOf, stateChangingMethods, whitelisted } from '../contract-abi/methods.ts';
import { conditionError } from './condition.ts';

/** The parts of a registered contract that a condition can name. */
export interface KnownContract {
  readonly name: string;
  readonly address: string;
  readonly abi: string;
  readonly whitelistedMethods: readonly string[];
}

export interface MethodArgument {
  /** Name of the parameter, or its position if it has no name. */
  readonly name: string;
  /** The ABI type, e.g. `uint256`. */
  readonly type: string;
  /** How a condition accesses the parameter after `args`: `.amount`, `[0]` or `["in"]`. */
  readonly access: string;
}

export interface KnownMethod {
  /** The registered name of the contract. */
  readonly contract: string;
  readonly name: string;
  readonly signature: string;
  readonly args: readonly MethodArgument[];
}

const accessOf = (name: string, index: number): string => {
  if (name === '') return `[${index}]`;
  // A reserved word of CEL cannot follow a dot.
  return conditionError(`calls[0].args.${name} == 1`) === undefined ? `.${name}` : `[${JSON.stringify(name)}]`;
};

const read = (contracts: readonly KnownContract[]): KnownMethod[] =>
  contracts.flatMap(({ name: contract, abi, whitelistedMethods }) => {
    const bySignature = new Map(functionsOf(abi).map((fragment) => [fragment.format('sighash'), fragment]));
    return whitelisted(stateChangingMethods(abi), whitelistedMethods).map(({ name, signature }) => ({
      contract,
      name,
      signature,
      args: (bySignature.get(signature)?.inputs ?? []).map((input, index) => ({
        name: input.name === '' ? `argument ${index + 1}` : input.name,
        type: input.format('sighash'),
        access: accessOf(input.name, index),
      })),
    }));
  });

const known = new WeakMap<readonly KnownContract[], KnownMethod[]>();

/**
 * The sponsored methods of registered contracts, with their arguments. Cached, because the editor calls this function
 * at every keystroke.
 */
export const knownMethods = (contracts: readonly KnownContract[]): readonly KnownMethod[] => {
  const methods = known.get(contracts) ?? read(contracts);
  known.set(contracts, methods);
  return methods;
};
