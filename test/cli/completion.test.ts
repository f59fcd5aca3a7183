import { execFile } from 'node:child_process';
import { accessSync, chmodSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();

beforeAll(async () => {
  await desk().dapp();
  await desk().call('chains.set', { chainId: 31337, name: 'Local' });
  const made = ['dapp', 'create', '--name', 'Pixel Bazaar', '--chain', 'Local', '--data', desk().dir];
  expect((await gasdesk(made)).stderr).toBe('');
});

const complete = async (...words: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await gasdesk(['__complete', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter(Boolean);
};

describe('a command line is completed', () => {
  it.each([
    [['dec'], ['decisions']],
    [
      ['decisions', 'r'],
      ['report', 'replay', 'receipt'],
    ],
    [['decisions', 'list', '--out'], ['--outcome']],
    [
      ['decisions', 'list', '--outcome', ''],
      ['sponsored', 'denied', 'error'],
    ],
    [['decisions', 'list', '--json', '--js'], []],
    [['--json', '--data', 'dapp', 'dec'], ['decisions']],
    [['--data', 'desk', 'decisions', 'rec'], ['receipt']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['nothing', ''], []],
    [['--ver'], ['--version']],
  ])('%j', async (words, found) => {
    expect(await complete(...words)).toEqual(found);
  });

  it('with the names of DApps and chains', async () => {
    const at = ['--data', desk().dir];
    expect(await complete('policy', 'show', ...at, '--dapp', 'pix')).toEqual(['Pixel Bazaar']);
    expect(await complete(...at, 'dapp', 'token-mode', 'pix')).toEqual(['Pixel Bazaar']);
    expect(await complete('fee-token', 'list', ...at, '--chain', 'lo')).toEqual(['Local']);
  });

  it('without them while no service runs, and nothing is created', async () => {
    expect(await complete('policy', 'show', '--data', '/nonexistent/desk', '--dapp', '')).toEqual([]);
  });
});

const onPath = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** For each shell, a script that completes a command line: after `gasdesk policy show --data … --dapp pix`, for one. */
const LINES = {
  bash: (script: string, words: string[]) => `
source ${script}
COMP_WORDS=(gasdesk ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_gasdesk
printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script: string, words: string[]) => `
compdef() { :; }
compadd() { printf '%s\\n' "\${found[@]}"; }
_files() { echo files; }
source ${script}
words=(gasdesk ${words.map((word) => `'${word}'`).join(' ')})
CURRENT=${words.length + 1}
_gasdesk`,
  fish: (script: string, words: string[]) => `
source ${script}
complete -C "gasdesk ${words.join(' ')}" | string replace -r '\\t.*' ''; true`,
};

describe.each(Object.keys(LINES) as (keyof typeof LINES)[])('in %s', (shell) => {
  const shells = onPath(shell) ? it : it.skipIf(true);

  shells('commands, choices and names appear, with quotes where they need them', async () => {
    const folder = tempFolder();
    const script = join(folder, `completion.${shell}`);
    writeFileSync(script, (await gasdesk(['completion', shell])).stdout);
    // The same words are completed in this process above; a shell needs a program.
    const program = join(folder, 'gasdesk');
    const cli = join(import.meta.dirname, '..', '..', 'src', 'cli', 'index.ts');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
    chmodSync(program, 0o755);
    const env = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder };
    const shown = async (...words: string[]): Promise<string[]> => {
      const run = await promisify(execFile)(shell, ['-c', LINES[shell](script, words)], { env });
      return run.stdout.split('\n').filter(Boolean);
    };
    expect(await shown('decisions', 'ta')).toEqual(['tail']);
    expect((await shown('decisions', 'list', '--outcome', '')).sort()).toEqual(['denied', 'error', 'sponsored']);
    const [name] = await shown('policy', 'show', '--data', desk().dir, '--dapp', 'Pix');
    expect(name).toBe(shell === 'bash' ? String.raw`Pixel\ Bazaar` : 'Pixel Bazaar');
  });
});
