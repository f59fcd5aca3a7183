import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { type Answer, startNameServer } from '../../../test/support/name-server.ts';
import { readHostNames } from './hosts.ts';
import { createNames } from './names.ts';

const namesBy = async (
  answer: (name: string) => Answer,
  { hosts = '', resolvConf = '', ttl = 0 }: { hosts?: string; resolvConf?: string; ttl?: number } = {},
) => {
  const dir = mkdtempSync(join(tmpdir(), 'gasdesk-names-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const files = { hosts: join(dir, 'hosts'), resolvConf: join(dir, 'resolv.conf') };
  writeFileSync(files.hosts, hosts);
  writeFileSync(files.resolvConf, resolvConf);
  const server = await startNameServer(answer, ttl);
  onTestFinished(() => server.stop());
  const clock = new ManualClock();
  const names = createNames({ clock, servers: [server.address], hosts: readHostNames(files.hosts, files.resolvConf) });
  onTestFinished(() => names.close());
  return { ...names, ...server, clock, files };
};

const until = (holds: () => boolean): Promise<void> => expect.poll(holds, { interval: 2 }).toBe(true);

test('a name leads to all its addresses', async () => {
  const { resolve } = await namesBy(() => ['192.0.2.1', '192.0.2.2']);
  expect(await resolve('Hooks.Example')).toEqual(expect.arrayContaining(['192.0.2.1', '192.0.2.2']));
});

test('names of the hosts file, of both families, and localhost are never asked of the DNS', async () => {
  const hosts =
    '# names\n127.0.0.1 localhost\n192.0.2.7\tNode.Internal node # ours\n::1 node.internal\nnonsense node\n';
  const { resolve, asked, files } = await namesBy(() => 'unknown', { hosts });
  expect(await resolve('node.internal')).toEqual(['192.0.2.7', '::1']);
  expect(await resolve('NODE')).toEqual(['192.0.2.7']);
  expect(await resolve('localhost')).toEqual(['127.0.0.1']);
  expect(await resolve('app.localhost')).toEqual(['127.0.0.1', '::1']);
  writeFileSync(files.hosts, '192.0.2.8 node\n');
  expect(await resolve('node')).toEqual(['192.0.2.8']);
  rmSync(files.hosts);
  expect(await resolve('localhost')).toEqual(['127.0.0.1', '::1']);
  expect(asked).toEqual([]);
});

test('short names are searched in the domains of the machine', async () => {
  const resolvConf = 'nameserver 192.0.2.53\nsearch a.internal b.internal\noptions ndots:2\n';
  const { resolve, asked } = await namesBy((name) => (name === 'node.b.internal' ? ['192.0.2.1'] : 'unknown'), {
    resolvConf,
  });
  expect(await resolve('node')).toEqual(['192.0.2.1']);
  expect([...new Set(asked)]).toEqual(['node.a.internal', 'node.b.internal']);
  await expect(resolve('node.b.internal.')).resolves.toEqual(['192.0.2.1']);
});

test.each<[Answer, string]>([
  ['unknown', 'ENOTFOUND'],
  [[], 'ENOTFOUND'],
  ['failing', 'EAI_AGAIN'],
  ['silent', 'EAI_AGAIN'],
])('where the DNS says %j, the error is %s', async (answer, code) => {
  const { resolve, asked, close } = await namesBy(() => answer);
  const found = expect(resolve('hooks.example')).rejects.toMatchObject({ code });
  await until(() => asked.length >= 2);
  if (answer === 'silent') close();
  await found;
});

test('a DNS server that is not there is no receiver that refuses', async () => {
  const { resolve } = createNames({ clock: new ManualClock(), servers: ['127.0.0.1:1'] });
  await expect(resolve('hooks.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
});

test('a name is asked for once at a time, and its answer holds as long as the DNS says', async () => {
  const { resolve, asked, clock } = await namesBy(() => ['192.0.2.1'], { ttl: 5 });
  await Promise.all([resolve('hooks.example'), resolve('hooks.example', 'd1'), resolve('HOOKS.example', 'd2')]);
  await clock.advance(4_999);
  await resolve('hooks.example');
  expect(asked).toHaveLength(2); // IPv4 and IPv6
  await clock.advance(1);
  await resolve('hooks.example');
  expect(asked).toHaveLength(4);
});

test('a DApp whose names get no answer stops at its limit, and stops no other DApp', async () => {
  const { resolve, asked, close } = await namesBy((name) => (name.startsWith('slow') ? 'silent' : ['192.0.2.1']));
  const slow = Array.from({ length: 32 }, (_, i) => resolve(`slow${i}.example`, 'slow DApp'));
  const ended = Promise.allSettled(slow);
  await expect(resolve('slow99.example', 'slow DApp')).rejects.toMatchObject({ code: 'LOOKUPS_FULL' });
  expect(await resolve('quick.example', 'other DApp')).toEqual(['192.0.2.1']);
  expect(await resolve('node.example')).toEqual(['192.0.2.1']);
  await until(() => new Set(asked).size >= 34);
  close();
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  expect(await resolve('quick.example', 'slow DApp')).toEqual(['192.0.2.1']);
});
