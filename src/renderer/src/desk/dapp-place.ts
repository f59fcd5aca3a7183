import type { RouteLocationRaw } from 'vue-router';

/** Tabs of a DApp, by the last part of the page's address. The policy comes first. */
export const dappTabs = ['policy', 'tank', 'connect', 'decisions', 'webhooks'] as const;

export type DappTab = (typeof dappTabs)[number];

export const dappTabTitles: Readonly<Record<DappTab, string>> = {
  policy: 'Policy',
  tank: 'Gas tank',
  connect: 'Connect',
  decisions: 'Decisions',
  webhooks: 'Webhooks',
};

/** In an address, stands for the DApp that was opened last. */
export const LAST_DAPP = 'last';

export interface DappQuery {
  /** The kind of rule (its `type`) whose form is open. */
  readonly form?: string;
  /**
   * What the form changes: a contract by its address, a webhook by its id, a rule by its id or name. Absent for a new
   * one.
   */
  readonly of?: string;
  /** Value to prefill in the form: a method, or an address. */
  readonly add?: string;
  /** The policy entry to focus: a kind of rule, or a value as in `of`. */
  readonly at?: string;
  /** The past decision that the form replays under each change. */
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
