import { Interface } from 'ethers';
import { stateChangingMethods, whitelisted } from '../contract-abi/methods.ts';
import { conditionFault } from './condition.ts';

/** A registered contract, as far as conditions name its parts. */
export interface KnownContract {
  readonly name: string;
  readonly address: string;
  readonly abi: string;
  readonly whitelistedMethods: readonly string[];
}

/** An argument of a method. */
export interface MethodArgument {
  /** Its name; where it has none, its position. */
  readonly name: string;
  /** Of the ABI, e.g. `uint256`. */
  readonly type: string;
  /** What follows `args` where a condition names it: `.amount`, `[0]` or `["in"]`. */
  readonly access: string;
}

/** A method that is sponsored. */
export interface KnownMethod {
  /** The registered name of its contract. */
  readonly contract: string;
  readonly name: string;
  readonly signature: string;
  readonly args: readonly MethodArgument[];
}

const accessOf = (name: string, index: number): string => {
  if (name === '') return `[${index}]`;
  // What is a word of the language cannot follow a point.
  return conditionFault(`calls[0].args.${name} == 1`) === undefined ? `.${name}` : `[${JSON.stringify(name)}]`;
};

const read = (contracts: readonly KnownContract[]): KnownMethod[] =>
  contracts.flatMap(({ name: contract, abi, whitelistedMethods }) => {
    const fragments = new Interface(abi);
    return whitelisted(stateChangingMethods(abi), whitelistedMethods).map(({ name, signature }) => ({
      ...{ contract, name, signature },
      args: (fragments.getFunction(signature)?.inputs ?? []).map((input, index) => ({
        ...{ name: input.name === '' ? `argument ${index + 1}` : input.name, type: input.format('sighash') },
        access: accessOf(input.name, index),
      })),
    }));
  });

const known = new WeakMap<readonly KnownContract[], KnownMethod[]>();

/** The methods of registered contracts that are sponsored, with their arguments. They are asked for at every key. */
export const knownMethods = (contracts: readonly KnownContract[]): readonly KnownMethod[] => {
  const methods = known.get(contracts) ?? read(contracts);
  known.set(contracts, methods);
  return methods;
};
