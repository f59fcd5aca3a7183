import { CONTRACT_TYPE } from '../../../../api/rules.ts';
import type { Address } from '../../../../shared/schema/hex.ts';
import type { Rule } from '../../desk/types.ts';

/** A registered contract, as it stands among the rules of its DApp. */
export interface RegisteredContract {
  readonly paymasterId: string;
  readonly name: string;
  readonly address: Address;
  readonly whitelistedMethods: readonly string[];
  /** Those that change state. */
  readonly methods: readonly string[];
}

type ContractData = Pick<RegisteredContract, 'address' | 'whitelistedMethods' | 'methods'>;

/** The contract that a rule stands for; undefined where it is another kind of rule. */
export const contractOf = ({ policyType, policyData, paymasterId, name }: Rule): RegisteredContract | undefined => {
  if (policyType !== CONTRACT_TYPE) return undefined;
  const { address, whitelistedMethods, methods } = policyData as unknown as ContractData;
  return { paymasterId, name, address, whitelistedMethods, methods };
};

const bare = (method: string): string => method.split('(')[0] ?? method;

/** The methods that are sponsored. A whitelist may name one by its signature where the contract has its bare name. */
export const tickedOf = ({
  methods,
  whitelistedMethods,
}: Pick<RegisteredContract, 'methods' | 'whitelistedMethods'>): string[] =>
  methods.filter((method) =>
    whitelistedMethods.some((entry) => entry === method || bare(entry) === method || bare(method) === entry),
  );

/** The method of a signature as the contract names it; undefined where it has none. */
export const methodNamed = (methods: readonly string[], signature: string): string | undefined =>
  methods.find((method) => method === signature) ?? methods.find((method) => method === bare(signature));
