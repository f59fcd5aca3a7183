import { type ComputedRef, computed } from 'vue';
import { dappTabs } from '../desk/dapp-place.ts';
import { useDesk } from '../desk/desk-store.ts';
import type { IconName } from '../ui/icons.ts';

export interface Page {
  readonly name: string;
  /** The path for the router. The navigation links to `link`, which has no parameters. */
  readonly path: string;
  readonly link: string;
  readonly title: string;
  readonly icon: IconName;
  /** The key to press after `g`. */
  readonly key: string;
  /** True if the page is reached from other pages, not from the navigation. */
  readonly offRail?: true;
  /** Also available in a review. */
  readonly inReview?: true;
}

/** All pages. Those in the navigation are in its order. */
export const pages: readonly Page[] = [
  { name: 'overview', path: '/', link: '/', title: 'Overview', icon: 'overview', key: 'o', inReview: true },
  {
    name: 'decisions',
    path: '/decisions/:id?',
    link: '/decisions',
    title: 'Decisions',
    icon: 'decisions',
    key: 'd',
    inReview: true,
  },
  { name: 'inspect', path: '/inspect', link: '/inspect', title: 'Inspect', icon: 'inspect', key: 'i', inReview: true },
  {
    name: 'dapps',
    path: `/dapps/:id?/:tab(${dappTabs.join('|')})?`,
    link: '/dapps',
    title: 'DApps',
    icon: 'dapps',
    key: 'p',
  },
  { name: 'costs', path: '/costs', link: '/costs', title: 'Costs', icon: 'costs', key: 'c' },
  { name: 'tokens', path: '/tokens', link: '/tokens', title: 'Tokens', icon: 'tokens', key: 't' },
  { name: 'events', path: '/events', link: '/events', title: 'Events', icon: 'events', key: 'e' },
  {
    name: 'activity',
    path: '/activity/:part(service)?',
    link: '/activity',
    title: 'Activity',
    icon: 'activity',
    key: 'a',
  },
  { name: 'settings', path: '/settings', link: '/settings', title: 'Settings', icon: 'settings', key: 's' },
  { name: 'setup', path: '/setup', link: '/setup', title: 'Set up', icon: 'play', key: 'u', offRail: true },
];

/** The available pages. A review has only some, because there is nothing to manage. */
export const usePages = (): ComputedRef<readonly Page[]> => {
  const desk = useDesk();
  return computed(() => (desk.info?.review === undefined ? pages : pages.filter(({ inReview }) => inReview)));
};
