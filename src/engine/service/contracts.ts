import { EngineError } from '../../shared/errors.ts';
import { stateChangingMethods, whitelisted } from '../../core/contract-abi/methods.ts';
import type { SmartContract } from '../store/policy-store.ts';
import { requireDapp } from './dapps.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

type ContractView = Pick<SmartContract, 'name' | 'address' | 'abi' | 'whitelistedMethods' | 'methods'>;

const view = ({ name, address, abi, whitelistedMethods, methods }: SmartContract): ContractView => ({
  name,
  address,
  abi,
  whitelistedMethods,
  methods,
});

const distinct = (entries: readonly string[]): string[] => [...new Set(entries)];

/** Procedures for the smart contracts whose methods a DApp sponsors. */
export const contractHandlers = (context: ServiceContext): Handlers<NamesOf<'contracts'>> => {
  const { store, entropy } = context;
  return {
    'contracts.methods': async ({ abi }) => ({ methods: stateChangingMethods(abi).map(({ label }) => label) }),
    'contracts.create': async ({ paymasterId, name, address, abi, whitelistedMethods = [] }) => {
      await requireDapp(context, paymasterId);
      const methods = stateChangingMethods(abi);
      whitelisted(methods, whitelistedMethods);
      const contract: SmartContract = {
        ruleId: entropy.uuid(),
        paymasterId,
        name,
        address,
        abi,
        methods: methods.map((method) => method.label),
        whitelistedMethods: distinct(whitelistedMethods),
        active: true,
      };
      await store.createContract(contract);
      return view(contract);
    },
    'contracts.list': async ({ paymasterId }) => {
      await requireDapp(context, paymasterId);
      const { contracts } = await store.dappPolicy(paymasterId);
      return contracts.map(view);
    },
    'contracts.update': async ({ paymasterId, address, whitelistedMethods }) => {
      await requireDapp(context, paymasterId);
      const contract = await store.findContract(paymasterId, address);
      if (contract === undefined) throw new EngineError('SMART_CONTRACT_NOT_FOUND');
      whitelisted(stateChangingMethods(contract.abi), whitelistedMethods);
      const updated = await store.updateContract(paymasterId, address, distinct(whitelistedMethods));
      if (updated === undefined) throw new EngineError('SMART_CONTRACT_NOT_FOUND');
      return view(updated);
    },
    'contracts.delete': async ({ paymasterId, address }) => {
      await requireDapp(context, paymasterId);
      if (!(await store.deleteContract(paymasterId, address))) throw new EngineError('SMART_CONTRACT_NOT_FOUND');
      return null;
    },
  };
};
