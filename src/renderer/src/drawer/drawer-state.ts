import type { IconName } from '../ui/icons.ts';

export type DrawerTab = 'requests' | 'errors' | 'commands';

export const tabs: readonly { name: DrawerTab; word: string; title: string; icon: IconName }[] = [
  { name: 'requests', word: 'Requests', title: 'The last requests as they came', icon: 'live' },
  { name: 'errors', word: 'Errors', title: 'Denials and errors by their cause', icon: 'error' },
  { name: 'commands', word: 'Commands', title: 'Shell commands that do what this page does', icon: 'terminal' },
];

/** What the browser remembers of the drawer. */
export interface DrawerState {
  readonly isOpen: boolean;
  readonly tab: DrawerTab;
  /** In px. */
  readonly height: number;
}

export const LEAST_HEIGHT = 120;
const USUAL_HEIGHT = 300;
const MOST_SHARE = 0.7;

/** The greatest height in a window of this height. The page stays visible. */
export const mostHeight = (windowHeight: number): number =>
  Math.max(LEAST_HEIGHT, Math.round(windowHeight * MOST_SHARE));

/** Reads the state that the browser has stored. */
export const drawerState = (stored: unknown): DrawerState => {
  const { isOpen, tab, height } = Object(stored) as Partial<Record<keyof DrawerState, unknown>>;
  return {
    isOpen: isOpen === true,
    tab: tabs.find(({ name }) => name === tab)?.name ?? 'requests',
    height: typeof height === 'number' && height >= LEAST_HEIGHT ? height : USUAL_HEIGHT,
  };
};
