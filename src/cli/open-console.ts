import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openInBrowser } from '../demo/open-in-browser.ts';

/** Length of the random part of the address, in bytes. */
const RANDOM_BYTES = 16;

/**
 * Opens the console in the default browser, through an address on this machine that works once: other users can read the
 * arguments of processes, so the token must not be among them.
 *
 * @returns ends the address, if the browser has not used it
 */
export const openConsole = async (consoleUrl: string, env: NodeJS.ProcessEnv): Promise<() => void> => {
  const path = `/${randomBytes(RANDOM_BYTES).toString('hex')}`;
  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    server.close();
    const headers = { location: consoleUrl, 'cache-control': 'no-store', connection: 'close' };
    response.writeHead(303, headers).end();
  }).unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  openInBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, env);
  return () => {
    server.close();
    server.closeAllConnections();
  };
};
