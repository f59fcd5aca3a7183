import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/engine/base/log.ts';
import { createReview } from '../../src/engine/review/review.ts';
import { draft } from '../export/stored-decisions.ts';
import { gasdesk } from '../support/cli.ts';
import { quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const cli = join(import.meta.dirname, '../../src/cli/index.ts');
const tempFolder = useTempFolders();

const exportOf = (count: number): string => {
  const file = join(tempFolder(), 'decisions.jsonl');
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ ...draft(index + 1), seq: index + 1 }));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

test('gasdesk review serves one export to holders of its token, and Ctrl-C leaves nothing of it', async () => {
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

test('what a killed review left in the clear is gone when the next review, or the desk, starts', async () => {
  const temporary = tempFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folders = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('gasdesk-review-'));
  const killReview = async (): Promise<void> => {
    const env = { HOME: '/dev/null', TMPDIR: temporary };
    const child = spawn(process.execPath, [cli, 'review', exportOf(1)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await ended;
  };
  await killReview();
  const [first] = folders();
  const review = await createReview({ file: exportOf(1), log: createLog({ level: 'silent' }) });
  onTestFinished(() => review.stop());
  const [living, ...others] = folders();
  expect([living === first, others]).toEqual([false, []]);

  await killReview();
  const engine = await quickEngine(tempFolder());
  onTestFinished(() => engine.stop());
  await engine.serve();
  expect(folders()).toEqual([living]);
});

test('gasdesk review names the line with the error', async () => {
  const file = exportOf(2);
  writeFileSync(file, '{"id":1}\n', { flag: 'a' });
  const { code, stdout, stderr } = await gasdesk(['review', file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^gasdesk: Line 3: decision\.id must be a string/);
});
