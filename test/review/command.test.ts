import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { draft } from '../export/stored-decisions.ts';
import { gasdesk } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const cli = join(import.meta.dirname, '../../src/cli/index.ts');
const tempFolder = useTempFolders();

const exportOf = (count: number): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ ...draft(index + 1), seq: index + 1 }));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

test('gasdesk review serves one export to whoever has its token, and Ctrl-C leaves nothing of it', async () => {
  const temporary = tempFolder();
  // No home and no data folder: a review needs none.
  const env = { HOME: '/dev/null', XDG_DATA_HOME: '/dev/null/data', TMPDIR: temporary };
  const child = spawn(process.execPath, [cli, 'review', exportOf(3)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const stderr = text(child.stderr);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { event, url, console: consoleUrl } = JSON.parse(String(line)) as Record<string, string>;
  expect([event, consoleUrl]).toEqual([
    'listening',
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/#token=/),
  ]);

  const [folder = ''] = readdirSync(temporary);
  expect(statSync(join(temporary, folder)).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(join(temporary, folder))) {
    expect(statSync(join(temporary, folder, name)).mode & 0o777, name).toBe(0o600);
  }

  const call = (name: string, token: string) =>
    fetch(`${url}/console/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, input: {} }),
    });
  const token = consoleUrl?.split('#token=')[1] ?? '';
  expect((await call('decisions.list', 'A'.repeat(43))).status).toBe(401);
  const listed = (await (await call('decisions.list', token)).json()) as { output: { seq: number }[] };
  expect(listed.output.map(({ seq }) => seq)).toEqual([3, 2, 1]);
  expect(await (await call('authTokens.list', token)).json()).toMatchObject({ ok: false, code: 'REVIEW_READ_ONLY' });
  expect((await fetch(`${url}/api/v2/public/sdk/paymaster`)).status).toBe(404);

  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(await stderr).toBe('');
  expect(readdirSync(temporary)).toEqual([]);
});

test('gasdesk review says which line is at fault', async () => {
  const file = exportOf(2);
  writeFileSync(file, '{"id":1}\n', { flag: 'a' });
  const { code, stdout, stderr } = await gasdesk(['review', file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^gasdesk: Line 3: decision\.id must be a string/);
});
