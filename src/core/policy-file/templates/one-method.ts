import { stateChangingMethods } from '../../contract-abi/methods.ts';
import type { PolicyFile } from '../format.ts';
import type { Template } from './template.ts';

/** The methods of a registered contract, as whitelists name them; undefined if no contract has that name. */
export const methodsOf = ({ contracts }: PolicyFile, contract: string): string[] | undefined => {
  const found = contracts.find(({ name }) => name === contract);
  return found && stateChangingMethods(found.abi).map(({ label }) => label);
};

/** Sponsors one method of one registered contract, and no other call. */
export const oneMethod: Template<'contract' | 'method'> = {
  name: 'one-method',
  title: 'One contract, one method',
  purpose: 'Only operations that call one method of one registered contract are sponsored.',
  fields: {
    contract: { label: 'Contract', kind: 'contract', default: '' },
    method: { label: 'Method', kind: 'method', default: '' },
  },
  errors({ contract, method }, file) {
    const methods = methodsOf(file, contract);
    if (methods === undefined) {
      const names = file.contracts.map(({ name }) => name).join(', ') || 'none yet; register it first';
      return [{ field: 'contract', message: `must be a registered contract: ${names}` }];
    }
    if (methods.includes(method)) return [];
    return [{ field: 'method', message: `must be a method of ${contract}: ${methods.join(', ') || 'it has none'}` }];
  },
  make: ({ contract, method }) => ({ rules: [], alone: { contract, method } }),
  leaves: ({ contract, method }) => [
    `It limits which method is called, but not how often or at what cost: anyone may call ${method || 'the method'} until the gas tank is empty. Add a budget.`,
    `An attacker's account can burn gas in addition to the call to ${contract || 'the contract'}: only a budget limits that.`,
    'Other registered contracts are paused and keep their ticked methods; resume them when you want them back.',
  ],
};
