import { readConsoleFile } from '../engine/console-http/console-files.ts';

/** Origin of the console. It uses a custom scheme, so that no website or file has the same origin. */
export const CONSOLE_ORIGIN = 'app://console';

/** The path in a URL of the console, still encoded. */
const pathOf = (url: string): string | undefined =>
  url.startsWith(`${CONSOLE_ORIGIN}/`) && URL.canParse(url) ? new URL(url).pathname : undefined;

/**
 * Serves files of the console. Responds with 404 to anything but a GET of a file in the console's folder, of a type
 * that the console contains.
 *
 * @param folder absolute path without a trailing separator
 */
export const serveConsoleFile = async (folder: string, { method, url }: Request): Promise<Response> => {
  const path = pathOf(url);
  const file =
    method === 'GET' && path !== undefined ? await readConsoleFile(folder, path, { connect: "'none'" }) : undefined;
  if (file === undefined) return new Response('Not found', { status: 404 });
  return new Response(new Uint8Array(file.content), { headers: file.headers });
};
