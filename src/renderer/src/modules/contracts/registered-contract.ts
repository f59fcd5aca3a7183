import { CONTRACT_TYPE } from '../../../../api/rules.ts';
import type { Address } from '../../../../shared/schema/hex.ts';
import type { Rule } from '../../desk/types.ts';

export interface RegisteredContract {
  readonly paymasterId: string;
  readonly name: string;
  readonly address: Address;
  readonly whitelistedMethods: readonly string[];
  /** Methods that change state. */
  readonly methods: readonly string[];
}

type ContractData = Pick<RegisteredContract, 'address' | 'whitelistedMethods' | 'methods'>;

/** The contract that a rule stands for; undefined for other kinds of rules. */
export const contractOf = ({ policyType, policyData, paymasterId, name }: Rule): RegisteredContract | undefined => {
  if (policyType !== CONTRACT_TYPE) return undefined;
  const { address, whitelistedMethods, methods } = policyData as unknown as ContractData;
  return { paymasterId, name, address, whitelistedMethods, methods };
};

const bare = (method: string): string => method.split('(')[0] ?? method;

/**
 * The sponsored methods. For a method that the contract lists by its bare name, the whitelist may contain the
 * signature.
 */
export const tickedOf = ({
  methods,
  whitelistedMethods,
}: Pick<RegisteredContract, 'methods' | 'whitelistedMethods'>): string[] =>
  methods.filter((method) =>
    whitelistedMethods.some((entry) => entry === method || bare(entry) === method || bare(method) === entry),
  );

/** The name under which the contract lists the method with this signature; undefined if it does not list it. */
export const methodNamed = (methods: readonly string[], signature: string): string | undefined =>
  methods.find((method) => method === signature) ?? methods.find((method) => method === bare(signature));
