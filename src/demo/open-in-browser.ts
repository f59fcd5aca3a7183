import { spawn } from 'node:child_process';

/** Commands that open an address in the default browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // Not through a shell, which would parse the address as a command line.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Without a display, as over SSH, `xdg-open` would start a browser in the terminal. */
const hasDisplay = ({ DISPLAY = '', WAYLAND_DISPLAY = '' }: NodeJS.ProcessEnv): boolean =>
  OPENERS[process.platform] !== undefined || DISPLAY + WAYLAND_DISPLAY !== '';

/** Opens an address in the default browser. Does nothing if the system has no browser or no display. */
export const openInBrowser = (url: string, env = process.env): void => {
  if (!hasDisplay(env)) return;
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { detached: true, stdio: 'ignore', env })
    .on('error', () => undefined)
    .unref();
};
