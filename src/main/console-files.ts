import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** Where the console lives: a scheme of our own, so that no web site and no file shares its origin. */
export const CONSOLE_ORIGIN = 'app://console';

/** naive-ui writes its styles into the page; everything else comes from the package, and nothing goes out. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  // These three do not fall back to default-src.
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const notFound = (): Response => new Response('Not found', { status: 404 });

/** The path that a URL names below the folder, or undefined if it names anything else. */
const fileBelow = (folder: string, url: string): string | undefined => {
  if (!url.startsWith(`${CONSOLE_ORIGIN}/`)) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
  const file = join(folder, path === '/' ? 'index.html' : path);
  return file.startsWith(folder + sep) && !file.includes('\0') ? file : undefined;
};

/**
 * Answers a request for a file of the console: 404 for what is not in its folder, of another kind than the console is
 * made of, or not asked for with GET.
 *
 * @param folder absolute path without a separator at its end
 */
export const serveConsoleFile = async (folder: string, { method, url }: Request): Promise<Response> => {
  const file = fileBelow(folder, url);
  const contentType = file && CONTENT_TYPES[extname(file)];
  if (method !== 'GET' || !file || !contentType) return notFound();
  const content = await readFile(file).catch(() => undefined);
  if (!content) return notFound();
  return new Response(new Uint8Array(content), {
    headers: {
      'Content-Type': contentType,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  });
};
