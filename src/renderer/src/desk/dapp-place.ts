import type { RouteLocationRaw } from 'vue-router';

/** Tabs of a DApp, by the last part of the address. The policy comes first. */
export const dappTabs = ['policy', 'tank', 'connect', 'decisions', 'webhooks'] as const;

export type DappTab = (typeof dappTabs)[number];

export const dappTabTitles: Readonly<Record<DappTab, string>> = {
  policy: 'Policy',
  tank: 'Gas tank',
  connect: 'Connect',
  decisions: 'Decisions',
  webhooks: 'Webhooks',
};

/** Stands in an address for the DApp that was opened last. */
export const LAST_DAPP = 'last';

export interface DappQuery {
  /** The kind of rule, by its `type`, whose form is open. */
  readonly form?: string;
  /** What the form changes: the address of a contract, a webhook's id, a rule's id or name. Absent: a new one. */
  readonly of?: string;
  /** Prefilled value of the form: a method, or an address. */
  readonly add?: string;
  /** The policy entry with the focus: a kind of rule, or a value as in `of`. */
  readonly at?: string;
  /** The decision that each change decides again. */
  readonly decision?: string;
  /** Amount to deposit in the gas tank, wei. */
  readonly deposit?: string;
}

export const dappPlace = (
  paymasterId: string,
  tab: DappTab = 'policy',
  query: DappQuery & Readonly<Record<string, string>> = {},
): RouteLocationRaw => ({
  name: 'dapps',
  params: { id: paymasterId, tab: tab === 'policy' ? '' : tab },
  query: { ...query },
});
