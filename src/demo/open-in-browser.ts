import { spawn } from 'node:child_process';

/** What opens an address in the default browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // No shell, to which an address would be a command line.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the default browser; where there is none, nothing happens. */
export const openInBrowser = (url: string, env = process.env): void => {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { detached: true, stdio: 'ignore', env })
    .on('error', () => undefined)
    .unref();
};
