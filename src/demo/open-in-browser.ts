import { spawn } from 'node:child_process';

/** Commands that open an address in the default browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // Not through a shell, which would parse the address as a command line.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the default browser. Does nothing if the system has no browser. */
export const openInBrowser = (url: string, env = process.env): void => {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { detached: true, stdio: 'ignore', env })
    .on('error', () => undefined)
    .unref();
};
