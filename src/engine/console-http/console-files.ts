import { readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { type CachedContent, keepContent } from '../http/cached-content.ts';

type Headers = Readonly<Record<string, string>>;

interface ConsoleFile {
  readonly content: Buffer;
  readonly headers: Headers;
}

interface CachedConsoleFile {
  readonly content: CachedContent;
  readonly headers: Headers;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The console's content security policy. naive-ui adds styles to the page; everything else comes from the package. */
const contentSecurityPolicy = ({ connect, frames, framedBy = "'none'" }: PageReach): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    // These three directives do not fall back to default-src.
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ');

/** The places to which a page may connect and in which it may be embedded, as sources of a content security policy. */
export interface PageReach {
  /** Where the page may connect: nowhere in a desktop window, which uses IPC; in a browser, to its own engine. */
  readonly connect: string;
  readonly frames?: string | undefined;
  /** Origins that may embed the page; none by default. */
  readonly framedBy?: string | undefined;
}

const headersOf = (contentType: string, reach: PageReach): Headers => ({
  'Content-Type': contentType,
  'Content-Security-Policy': contentSecurityPolicy(reach),
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});

/** The file that an encoded path names in the folder, with its content type; undefined for anything else. */
const fileBelow = (folder: string, encodedPath: string): { file: string; contentType: string } | undefined => {
  let path: string;
  try {
    path = decodeURIComponent(encodedPath);
  } catch {
    return undefined;
  }
  const file = join(folder, path === '/' ? 'index.html' : path);
  const contentType = CONTENT_TYPES[extname(file)];
  return contentType !== undefined && file.startsWith(folder + sep) && !file.includes('\0')
    ? { file, contentType }
    : undefined;
};

/**
 * Reads a file of the console. Undefined for a file outside of the folder, or of a type that the console does not
 * contain.
 *
 * @param folder absolute path without a trailing separator
 * @param encodedPath as in a URL, with its leading slash; `/` is the page
 */
export const readConsoleFile = async (
  folder: string,
  encodedPath: string,
  reach: PageReach,
): Promise<ConsoleFile | undefined> => {
  const found = fileBelow(folder, encodedPath);
  const content = found && (await readFile(found.file).catch(() => undefined));
  return content && { content, headers: headersOf(found.contentType, reach) };
};

interface ReadFile {
  readonly version: string;
  readonly content: Promise<CachedContent>;
}

/**
 * Like {@link readConsoleFile}, but reads each file only once, and again after it changes, because the console may be
 * rebuilt while it is served.
 *
 * @param folder absolute path without a trailing separator
 */
export const keepConsoleFiles = (
  folder: string,
  reach: PageReach,
): ((encodedPath: string) => Promise<CachedConsoleFile | undefined>) => {
  const cached = new Map<string, ReadFile>();

  const contentOf = async (file: string): Promise<CachedContent | undefined> => {
    try {
      const { mtimeMs, size } = await stat(file);
      const version = `${mtimeMs} ${size}`;
      const before = cached.get(file);
      if (before?.version === version) return await before.content;
      const content = readFile(file).then((bytes) => keepContent(bytes, file.endsWith('.woff2')));
      cached.set(file, { version, content });
      return await content;
    } catch {
      cached.delete(file);
      return undefined;
    }
  };

  return async (encodedPath) => {
    const found = fileBelow(folder, encodedPath);
    const content = found && (await contentOf(found.file));
    return content && { content, headers: headersOf(found.contentType, reach) };
  };
};
