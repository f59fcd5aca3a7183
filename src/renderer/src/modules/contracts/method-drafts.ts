import { shallowReactive } from 'vue';
import { type RegisteredContract, tickedOf } from './registered-contract.ts';

/**
 * Unsaved ticks, by the state of the contract when they were set. They are kept while the operator visits other pages.
 */
const drafts = shallowReactive(new Map<string, string[]>());
const keyOf = (contract: RegisteredContract): string => JSON.stringify(contract);

/** Methods that the operator has ticked but not saved. Saving any change to the contract ends the draft. */
export const methodDrafts = {
  get: (contract: RegisteredContract): string[] | undefined => drafts.get(keyOf(contract)),
  set: (contract: RegisteredContract, methods: string[]): void => void drafts.set(keyOf(contract), methods),
  /** True if saving would change something. */
  isChanged: (contract: RegisteredContract): boolean =>
    drafts.has(keyOf(contract)) &&
    [...(drafts.get(keyOf(contract)) ?? [])].sort().join() !== tickedOf(contract).sort().join(),
  drop: (contract: RegisteredContract): void => void drafts.delete(keyOf(contract)),
};
