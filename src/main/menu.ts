import { Menu, type MenuItemConstructorOptions, shell } from 'electron';
import { LINKS, openLink } from './links.ts';

export interface MenuActions {
  /** Shows a page of the console, given its path. */
  readonly go: (path: string) => void;
  readonly dataFolder: string;
  readonly openForReview: () => void;
}

/** The pages under the console's names, in the order of its navigation. */
const PAGES = [
  ['Overview', '/'],
  ['Decisions', '/decisions'],
  ['DApps', '/dapps'],
  ['Tokens', '/tokens'],
  ['Activity', '/activity'],
  ['Settings', '/settings'],
] as const;

const separator: MenuItemConstructorOptions = { type: 'separator' };

export const setMenu = (
  { go, dataFolder, openForReview }: MenuActions,
  isMac = process.platform === 'darwin',
): void => {
  const pages = PAGES.map(([label, path], index): MenuItemConstructorOptions => ({
    label,
    accelerator: `CmdOrCtrl+${(index + 1) % 10}`,
    click: () => go(path),
  }));
  const file: MenuItemConstructorOptions[] = [
    { label: 'Open for review…', accelerator: 'CmdOrCtrl+O', click: openForReview },
    { label: 'Open data folder', click: () => void shell.openPath(dataFolder) },
    separator,
    isMac ? { role: 'close' } : { role: 'quit' },
  ];
  const view: MenuItemConstructorOptions[] = [
    ...pages,
    separator,
    { role: 'reload' },
    separator,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    separator,
    { role: 'togglefullscreen' },
  ];
  const help: MenuItemConstructorOptions[] = [
    { label: 'ERC-4337 in full', click: () => openLink(LINKS.erc4337) },
    ...(isMac ? [] : [separator, { role: 'about' } as const]),
  ];
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' } as const] : []),
      { label: 'File', submenu: file },
      { role: 'editMenu' },
      { label: 'View', submenu: view },
      { role: 'windowMenu' },
      { role: 'help', submenu: help },
    ]),
  );
};
