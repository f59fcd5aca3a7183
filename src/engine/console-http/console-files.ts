import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** A file of the built console, and the headers that go with it. */
export interface ConsoleFile {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** naive-ui writes its styles into the page; everything else comes from the package. */
const contentSecurityPolicy = ({ connect, frames, framedBy = "'none'" }: PageReach): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    // These three do not fall back to default-src.
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ');

/** What a page may reach, and who may show it: sources of a content security policy. */
export interface PageReach {
  /** Whom it may talk to: nobody in a window, which has IPC; its own engine in a browser. */
  readonly connect: string;
  /** What it may show in itself; nothing by default. */
  readonly frames?: string | undefined;
  /** Whose pages may show it in themselves; nobody's by default. */
  readonly framedBy?: string | undefined;
}

/** The file that an encoded path names below the folder, or undefined if it names anything else. */
const fileBelow = (folder: string, encodedPath: string): string | undefined => {
  let path: string;
  try {
    path = decodeURIComponent(encodedPath);
  } catch {
    return undefined;
  }
  const file = join(folder, path === '/' ? 'index.html' : path);
  return file.startsWith(folder + sep) && !file.includes('\0') ? file : undefined;
};

/**
 * Reads a file of the console. Undefined for what is not in its folder or of another kind than the console is made of.
 *
 * @param folder absolute path without a separator at its end
 * @param encodedPath as in a URL, with its leading slash; `/` is the page
 */
export const readConsoleFile = async (
  folder: string,
  encodedPath: string,
  reach: PageReach,
): Promise<ConsoleFile | undefined> => {
  const file = fileBelow(folder, encodedPath);
  const contentType = file && CONTENT_TYPES[extname(file)];
  if (!file || !contentType) return undefined;
  const content = await readFile(file).catch(() => undefined);
  if (!content) return undefined;
  return {
    content,
    headers: {
      'Content-Type': contentType,
      'Content-Security-Policy': contentSecurityPolicy(reach),
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    },
  };
};
