import { readConsoleFile } from '../engine/console-http/console-files.ts';

/** Where the console lives: a scheme of our own, so that no web site and no file shares its origin. */
export const CONSOLE_ORIGIN = 'app://console';

/** The path of a URL of the console, as it is encoded there. */
const pathOf = (url: string): string | undefined =>
  url.startsWith(`${CONSOLE_ORIGIN}/`) && URL.canParse(url) ? new URL(url).pathname : undefined;

/**
 * Answers a request for a file of the console: 404 for what is not in its folder, of another kind than the console is
 * made of, or not asked for with GET.
 *
 * @param folder absolute path without a separator at its end
 */
export const serveConsoleFile = async (folder: string, { method, url }: Request): Promise<Response> => {
  const path = pathOf(url);
  const file =
    method === 'GET' && path !== undefined ? await readConsoleFile(folder, path, { connect: "'none'" }) : undefined;
  if (file === undefined) return new Response('Not found', { status: 404 });
  return new Response(new Uint8Array(file.content), { headers: file.headers });
};
