import { type InjectionKey, inject } from 'vue';
import type { Dapp } from '../../desk/types.ts';

/** Under this key a form of a policy provides its DApp, for the conditions that are typed in it at any depth. */
export const policyDappKey: InjectionKey<() => Dapp> = Symbol('policyDapp');

/** The DApp whose policy is changed; to be called where `inject` may be. */
export const usePolicyDapp = (): (() => Dapp) => {
  const dapp = inject(policyDappKey);
  if (dapp === undefined) throw new Error('The form provides no DApp');
  return dapp;
};
