import { shallowReactive } from 'vue';
import { type RegisteredContract, tickedOf } from './registered-contract.ts';

/** Unsaved ticks, by the contract as it was when they were made; they survive a visit to another page. */
const drafts = shallowReactive(new Map<string, string[]>());
const keyOf = (contract: RegisteredContract): string => JSON.stringify(contract);

/** Methods that the operator has ticked and not saved. Any saved change of the contract ends the draft. */
export const methodDrafts = {
  get: (contract: RegisteredContract): string[] | undefined => drafts.get(keyOf(contract)),
  set: (contract: RegisteredContract, methods: string[]): void => void drafts.set(keyOf(contract), methods),
  /** True if saving would change anything. */
  isChanged: (contract: RegisteredContract): boolean =>
    drafts.has(keyOf(contract)) &&
    [...(drafts.get(keyOf(contract)) ?? [])].sort().join() !== tickedOf(contract).sort().join(),
  drop: (contract: RegisteredContract): void => void drafts.delete(keyOf(contract)),
};
