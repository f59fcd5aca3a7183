import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folder of the pages on clients. */
export const CLIENT_PAGES = join(import.meta.dirname, '..', '..', 'docs', 'clients');

/** What a reader of a page copies. */
export interface Page {
  /** Of its file, without `.md`. */
  readonly name: string;
  /** The arguments of its `npm i`. */
  readonly packages: readonly string[];
  /** Its `js` blocks: each is a whole program. `ts` blocks are parts of one. */
  readonly programs: readonly string[];
}

/** The blocks of a page in a language, in order. */
export const blocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

const INSTALL = /^npm i (.+)\n$/;

/** The pages on clients, in the order of their names. */
export const readPages = (): Page[] =>
  globSync('*.md', { cwd: CLIENT_PAGES })
    .filter((file) => file !== 'README.md')
    .sort()
    .map((file) => {
      const text = readFileSync(join(CLIENT_PAGES, file), 'utf8');
      const [, packages = ''] = INSTALL.exec(blocks(text, 'sh')[0] ?? '') ?? [];
      return {
        name: basename(file, '.md'),
        packages: packages.split(' ').filter(Boolean),
        programs: blocks(text, 'js'),
      };
    });
