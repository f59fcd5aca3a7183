import type { RouteLocationRaw } from 'vue-router';
import type { DecisionRow } from '../../../shared/schema/decision.ts';
import { shorten } from '../../../shared/words/shorten.ts';
import { type DappTab, dappPlace, dappTabTitles } from '../desk/dapp-place.ts';
import type { Dapp } from '../desk/types.ts';
import type { IconName } from '../ui/icons.ts';
import { outcomes } from '../ui/outcomes.ts';
import type { Page } from './pages.ts';

/** Actions of the command palette that do not navigate. */
export type PaletteAct = 'pause' | 'resume' | 'keys' | 'signOut';

export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  /** Shown next to the title, and also searched. */
  readonly note: string;
  readonly icon: IconName;
  /** The page it leads to; absent for an action. */
  readonly to?: RouteLocationRaw;
  readonly act?: PaletteAct;
}

const dappEntries = ({ paymasterId, name }: Pick<Dapp, 'paymasterId' | 'name'>): PaletteEntry[] =>
  Object.entries(dappTabTitles).map(([tab, title]) => ({
    id: `dapp ${paymasterId} ${tab}`,
    title: name,
    note: `DApp · ${title}`,
    icon: 'dapps',
    to: dappPlace(paymasterId, tab as DappTab),
  }));

const ruleEntries = ({ paymasterId, name }: Pick<Dapp, 'paymasterId' | 'name'>): PaletteEntry[] =>
  Object.entries({ contracts: 'Add a contract', spendingLimit: 'Add a spending limit', webhook: 'Add a webhook' }).map(
    ([form, title]) => ({
      id: `add ${form} ${paymasterId}`,
      title,
      note: `New rule for ${name}`,
      icon: 'add',
      to: dappPlace(paymasterId, 'policy', { form }),
    }),
  );

/** The entries that do not depend on what was typed, in order. */
export const paletteEntries = (desk: {
  readonly pages: readonly Page[];
  readonly dapps: readonly Pick<Dapp, 'paymasterId' | 'name'>[];
  readonly isReview: boolean;
  readonly isPaused: boolean;
  /** True where the operator can end the session. */
  readonly hasSession: boolean;
}): PaletteEntry[] => {
  const pages = desk.pages.map(({ name, title, icon, link, key }): PaletteEntry => ({
    id: `page ${name}`,
    title,
    note: `Page · g ${key}`,
    icon,
    to: link,
  }));
  const keys: PaletteEntry = { id: 'keys', title: 'Keyboard shortcuts', note: 'Help', icon: 'info', act: 'keys' };
  const last = desk.hasSession
    ? [keys, { id: 'signOut', title: 'Sign out', note: 'Action', icon: 'exit', act: 'signOut' } as const]
    : [keys];
  if (desk.isReview) return [...pages, ...last];
  const pause: PaletteEntry = desk.isPaused
    ? { id: 'resume', title: 'Resume all sponsorship', note: 'Action', icon: 'play', act: 'resume' }
    : { id: 'pause', title: 'Pause all sponsorship', note: 'Action', icon: 'paused', act: 'pause' };
  const setting = (at: string, title: string, icon: IconName): PaletteEntry => ({
    id: `settings ${at}`,
    title,
    note: `Settings · ${at.replaceAll('-', ' ')}`,
    icon,
    to: { name: 'settings', query: { at } },
  });
  return [
    ...pages,
    pause,
    setting('backup', 'Back up now', 'locked'),
    setting('chains', 'Set up a chain', 'live'),
    setting('keys', 'Create a signing key', 'key'),
    setting('auth-tokens', 'Create an auth token', 'key'),
    ...desk.dapps.flatMap(dappEntries),
    ...desk.dapps.flatMap(ruleEntries),
    ...last,
  ];
};

/** Entries that contain every word that was typed. Entries whose title starts with the text come first. */
export const matchingEntries = (entries: readonly PaletteEntry[], typed: string): PaletteEntry[] => {
  const words = typed.trim().toLowerCase().split(/\s+/);
  const begins = ({ title }: PaletteEntry): boolean => title.toLowerCase().startsWith(words.join(' '));
  const found = entries.filter(({ title, note }) => {
    const text = `${title} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
};

export const decisionEntry = ({ id, seq, dapp, sender, outcome, message }: DecisionRow): PaletteEntry => ({
  id: `decision ${id}`,
  title: `#${seq} ${outcomes[outcome].word} · ${dapp}`,
  icon: outcomes[outcome].icon,
  note: `${sender === '' ? '' : `${shorten(sender)} · `}${message}`,
  to: { name: 'decisions', params: { id } },
});
