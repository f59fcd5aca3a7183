import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useServe } from '../support/cli.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const newFolder = useTempFolders();
const serve = useServe();
const unit = readFileSync(join(import.meta.dirname, '../../resources/gasdesk.service'), 'utf8');
/** What the unit sets under a name, once for each time. */
const set = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

test('the command of the systemd unit serves, with the state folder and the credential that the unit asks for', async () => {
  const [state, credentials] = [newFolder(), newFolder()];
  const [credential = ''] = set('LoadCredential').map((pair) => pair.split(':')[0] ?? '');
  const file = join(credentials, credential);
  writeFileSync(file, 'correct horse\n');
  chmodSync(file, 0o400);

  const [start = ''] = set('ExecStart');
  const data = `%S/${set('StateDirectory').join('')}`;
  expect(start).toContain(` --data ${data} `);
  const [program, verb, ...args] = start.replace('%S', state).replace('%d', credentials).split(' ');
  expect([program, verb]).toEqual(['/usr/local/bin/gasdesk', 'serve']);
  const desk = await serve(args);
  expect((await fetch(`${desk.url}/healthz`)).status).toBe(200);
  desk.signal('SIGTERM');
  expect(await desk.ended).toMatchObject({ code: 0 });
});

test('the systemd unit hands no secret over in the environment, and lets V8 write its machine code', () => {
  expect(set('Environment')).toEqual([]);
  expect(set('MemoryDenyWriteExecute')).toEqual([]);
  expect(set('User')).toEqual(['gasdesk']);
  for (const [name, value] of [
    ['ProtectSystem', 'strict'],
    ['NoNewPrivileges', 'true'],
    ['PrivateTmp', 'true'],
  ] as const) {
    expect(set(name), name).toEqual([value]);
  }
});
