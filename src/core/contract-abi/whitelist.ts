import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { stateChangingMethods, whitelisted } from './methods.ts';
import type { PolicyContract } from '../policy/policy.ts';

export interface WhitelistedContract {
  readonly name: string;
  readonly active: boolean;
  /** Selectors that are sponsored. */
  readonly selectors: ReadonlySet<Hex>;
  /** Signatures of all methods by selector, for explanations. */
  readonly signatures: ReadonlyMap<Hex, string>;
}

/** Registered contracts by lower-case address. */
export type ContractWhitelist = ReadonlyMap<Address, WhitelistedContract>;

interface WithContracts {
  readonly contracts: readonly PolicyContract[];
}

const compiled = new WeakMap<WithContracts, ContractWhitelist>();

const compile = ({ name, active, abi, whitelistedMethods }: PolicyContract): WhitelistedContract => {
  const methods = stateChangingMethods(abi);
  return {
    name,
    active,
    selectors: new Set(whitelisted(methods, whitelistedMethods).map((method) => method.selector)),
    signatures: new Map(methods.map((method) => [method.selector, method.signature])),
  };
};

/** The registered contracts of a policy by address, with the selectors they sponsor. */
export const whitelistOf = (policy: WithContracts): ContractWhitelist => {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  const whitelist = new Map(policy.contracts.map((contract) => [addressKey(contract.address), compile(contract)]));
  compiled.set(policy, whitelist);
  return whitelist;
};
