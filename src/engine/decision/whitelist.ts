import { addressKey } from '../../shared/schema/hex.ts';
import { stateChangingMethods, whitelisted } from '../contract-abi/methods.ts';
import type { ContractWhitelist, WhitelistedContract } from '../rules/contracts.ts';
import type { DappPolicy, SmartContract } from '../store/store.ts';

const compiled = new WeakMap<DappPolicy, ContractWhitelist>();

const compile = ({ name, active, abi, whitelistedMethods }: SmartContract): WhitelistedContract => {
  const methods = stateChangingMethods(abi);
  return {
    name,
    active,
    selectors: new Set(whitelisted(methods, whitelistedMethods).map((method) => method.selector)),
    signatures: new Map(methods.map((method) => [method.selector, method.signature])),
  };
};

/** The registered contracts of a policy by address, with the selectors they sponsor. */
export const whitelistOf = (policy: DappPolicy): ContractWhitelist => {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  const whitelist = new Map(policy.contracts.map((contract) => [addressKey(contract.address), compile(contract)]));
  compiled.set(policy, whitelist);
  return whitelist;
};
