import type { RouteLocationRaw } from 'vue-router';

/** What there is of a DApp, by the last part of its address. Its policy comes first. */
export const dappTabs = ['policy', 'tank', 'connect', 'decisions', 'webhooks'] as const;

/** What there is of a DApp. */
export type DappTab = (typeof dappTabs)[number];

/** The tabs as they are called. */
export const dappTabTitles: Readonly<Record<DappTab, string>> = {
  policy: 'Policy',
  tank: 'Gas tank',
  connect: 'Connect',
  decisions: 'Decisions',
  webhooks: 'Webhooks',
};

/** Stands in an address for the DApp that was looked at last. */
export const LAST_DAPP = 'last';

/** What the address of a DApp's tab says besides. */
export interface DappQuery {
  /** The kind of rule, by its `type`, whose form is open. */
  readonly form?: string;
  /** Which one the form changes: the address of a contract, a webhook's id, a rule's id or name. Absent: a new one. */
  readonly of?: string;
  /** What the form has filled in: a method, or an address. */
  readonly add?: string;
  /** The entry of the policy that has the focus: a kind of rule, or what `of` names. */
  readonly at?: string;
  /** The decision that is decided again by what is changed. */
  readonly decision?: string;
  /** What is to be deposited in the gas tank, wei. */
  readonly deposit?: string;
}

/** Where a DApp, or something of it, is found. */
export const dappPlace = (
  paymasterId: string,
  tab: DappTab = 'policy',
  query: DappQuery & Readonly<Record<string, string>> = {},
): RouteLocationRaw => ({
  name: 'dapps',
  params: { id: paymasterId, tab: tab === 'policy' ? '' : tab },
  query: { ...query },
});
