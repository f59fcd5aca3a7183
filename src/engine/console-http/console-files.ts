import { readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { type KeptContent, keepContent } from '../http/kept-content.ts';

type Headers = Readonly<Record<string, string>>;

/** A file of the built console, and the headers that go with it. */
interface ConsoleFile {
  readonly content: Buffer;
  readonly headers: Headers;
}

/** Likewise a file that is kept for all who ask for it. */
interface KeptConsoleFile {
  readonly content: KeptContent;
  readonly headers: Headers;
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

const headersOf = (contentType: string, reach: PageReach): Headers => ({
  'Content-Type': contentType,
  'Content-Security-Policy': contentSecurityPolicy(reach),
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});

/** The file that an encoded path names below the folder, and its type; undefined if it names anything else. */
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
  const found = fileBelow(folder, encodedPath);
  const content = found && (await readFile(found.file).catch(() => undefined));
  return content && { content, headers: headersOf(found.contentType, reach) };
};

/** A file as it was when it was read. */
interface ReadFile {
  readonly version: string;
  readonly content: Promise<KeptContent>;
}

/**
 * Reads files of the console as {@link readConsoleFile} does, each once for all who ask for it, and anew where it has
 * changed: a console may be built while it is served.
 *
 * @param folder absolute path without a separator at its end
 */
export const keepConsoleFiles = (
  folder: string,
  reach: PageReach,
): ((encodedPath: string) => Promise<KeptConsoleFile | undefined>) => {
  const kept = new Map<string, ReadFile>();

  const contentOf = async (file: string): Promise<KeptContent | undefined> => {
    try {
      const { mtimeMs, size } = await stat(file);
      const version = `${mtimeMs} ${size}`;
      const before = kept.get(file);
      if (before?.version === version) return await before.content;
      const content = readFile(file).then((bytes) => keepContent(bytes, file.endsWith('.woff2')));
      kept.set(file, { version, content });
      return await content;
    } catch {
      kept.delete(file);
      return undefined;
    }
  };

  return async (encodedPath) => {
    const found = fileBelow(folder, encodedPath);
    const content = found && (await contentOf(found.file));
    return content && { content, headers: headersOf(found.contentType, reach) };
  };
};
