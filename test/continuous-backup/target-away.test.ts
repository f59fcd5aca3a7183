import { existsSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { folderTarget } from '../../src/engine/continuous-backup/folder-target.ts';
import { gasdesk } from '../support/cli.ts';
import { type ServingEngine, startEngine } from '../support/engine.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { canMount, fillUp, mountSmall, unmount } from '../support/small-disk.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

const serving = async (dir: string): Promise<ServingEngine> => {
  const engine = await startEngine({ dir, flags: { logLevel: 'silent' } });
  onTestFinished(() => engine.stop());
  return engine;
};

const restore = async (target: string) => {
  const dir = join(tempFolder(), 'fresh');
  await restoreBackup({ file: target, passphrase: new Secret(PASSPHRASE), dir, now: Date.now, logN: 10 });
  const engine = await quickEngine(dir);
  onTestFinished(() => engine.stop());
  return { dir, names: (await engine.service.call('accounts.list', {})).map(({ name }) => name) };
};

const checkOf = async ({ service }: ServingEngine) =>
  (await service.call('system.doctor', {})).checks.find(({ name }) => name === 'continuous backup');

test('a target that cannot be written to stops nothing; once it can, nothing is missing in the copy', async () => {
  const [dir, target] = [tempFolder(), join(tempFolder(), 'copy')];
  const desk = await serving(dir);
  const { service } = desk;
  const follow = () => service.call('backups.follow', { target });
  const create = (name: string) => service.call('accounts.create', { name });
  expect(await follow()).toMatchObject({ target, error: null });
  await create('Before');
  await follow();
  expect(await checkOf(desk)).toMatchObject({ ok: true });

  renameSync(target, `${target}.away`);
  writeFileSync(target, 'not a folder');
  await create('During');
  await expect(follow()).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  await create('During, too');
  expect(await checkOf(desk)).toMatchObject({ ok: false });
  expect((await service.call('backups.list', {})).continuous.error).toMatch(/ENOTDIR|EEXIST/);

  rmSync(target);
  renameSync(`${target}.away`, target);
  await create('After');
  expect(await follow()).toMatchObject({ error: null });
  expect(await checkOf(desk)).toMatchObject({ ok: true });
  await desk.stop();
  expect((await restore(target)).names).toEqual(['Operator', 'Before', 'During', 'During, too', 'After']);
});

test.runIf(canMount)('a target whose disk is full stops nothing; once it has room, nothing is missing', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  mountSmall(target, 8);
  onTestFinished(() => void unmount(target));
  const desk = await serving(dir);
  const { service } = desk;
  await service.call('backups.follow', { target });
  const filler = join(target, 'filler');
  fillUp(filler);
  await service.call('accounts.create', { name: 'Meanwhile' });
  await expect(service.call('backups.follow', { target })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('ENOSPC') as string,
  });
  expect(await checkOf(desk)).toMatchObject({ ok: false });
  rmSync(filler);
  expect(await service.call('backups.follow', { target })).toMatchObject({ error: null });
  await desk.stop();
  expect((await restore(target)).names).toEqual(['Operator', 'Meanwhile']);
});

test('a desk that ends has copied everything, and the next run continues in the same target', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  for (const name of ['First run', 'Second run']) {
    const { service, stop } = await serving(dir);
    await service.call('backups.follow', { target });
    await service.call('accounts.create', { name });
    await stop();
  }
  expect((await restore(target)).names).toEqual(['Operator', 'First run', 'Second run']);
});

test('a desk whose standby has taken over begins no new copy, which a restore would prefer to that of the standby', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  const { service } = await serving(dir);
  await service.call('backups.follow', { target });
  const copies = () => readdirSync(target).filter((name) => /^\d/.test(name));
  expect(copies()).toHaveLength(1);
  await service.call('backups.follow', { target: null });
  const lease = Buffer.from(JSON.stringify({ holder: 'standby', isReleased: false }));
  await folderTarget(target).create('lease/0000000001', lease);
  await expect(service.call('backups.follow', { target })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('Another desk has taken the lead') as string,
  });
  expect(copies()).toHaveLength(1);
});

test('settings and local keys are in the copy; a restored desk does not follow to the same target', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  writeFileSync(join(dir, 'gasdesk.json'), '{"webhookTimeoutMs": 1234}');
  const { service, stop } = await serving(dir);
  await service.call('backups.follow', { target });
  const { address } = await service.call('keystores.create', { label: 'Funds', password: 'of the key' });
  await stop();
  const restored = await restore(target);
  expect(JSON.parse(readFileSync(join(restored.dir, 'gasdesk.json'), 'utf8'))).toEqual({ webhookTimeoutMs: 1234 });
  const key = join('keystores', `${address.toLowerCase()}.json`);
  expect(readFileSync(join(restored.dir, key), 'utf8')).toBe(readFileSync(join(dir, key), 'utf8'));
});

test('the log keeps its name and key if the copy contains the newest checkpoint that was handed out', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  const { service, stop } = await serving(dir);
  await service.call('backups.follow', { target });
  const handedOut = join(tempFolder(), 'log.jsonl');
  const env = { GASDESK_PASSPHRASE: PASSPHRASE };
  expect(await gasdesk(['log', 'export', '--out', handedOut, '--data', dir], env)).toMatchObject({ code: 0 });
  const { key } = await service.call('log.key', {});
  await stop();
  const fresh = join(tempFolder(), 'fresh');
  const order = { file: target, passphrase: new Secret(PASSPHRASE), dir: fresh, now: Date.now, logN: 10 };
  await restoreBackup({ ...order, since: handedOut });
  const engine = await quickEngine(fresh);
  onTestFinished(() => engine.stop());
  expect(await engine.service.call('log.key', {})).toMatchObject({ key });
});

test('the copy of another desk is not touched', async () => {
  const target = tempFolder();
  const one = await serving(tempFolder());
  await one.service.call('backups.follow', { target });
  await one.stop();
  const other = await serving(tempFolder());
  await expect(other.service.call('backups.follow', { target })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('another desk') as string,
  });
  expect((await restore(target)).names).toEqual(['Operator']);
});

test.each(['.', 'backups', '..backups', 'not/yet/there'])(
  'a target in the data folder is refused, because it would be lost with it: %s',
  async (name) => {
    const dir = tempFolder();
    const desk = await serving(dir);
    const link = join(tempFolder(), 'link');
    symlinkSync(dir, link, 'junction');
    const target = join(link, name);
    await expect(desk.service.call('backups.follow', { target })).rejects.toMatchObject({
      code: 'BACKUP_FAILED',
      message: expect.stringContaining('is in the data folder') as string,
    });
    expect(existsSync(join(target, 'gasdesk-copy.json'))).toBe(false);
  },
);

test('a target in the data folder does not replace the one that is followed', async () => {
  const [dir, target] = [tempFolder(), tempFolder()];
  const { service } = await serving(dir);
  await service.call('backups.follow', { target });
  await expect(service.call('backups.follow', { target: join(dir, 'copy') })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.not.stringContaining('tries again') as string,
  });
  expect((await service.call('backups.list', {})).continuous).toMatchObject({ target, error: null });
});

test('an unlocked vault is required, because its key encrypts the copy', async () => {
  const engine = await startEngine({ dir: tempFolder(), locked: true, flags: { logLevel: 'silent' } });
  onTestFinished(() => engine.stop());
  await expect(engine.service.call('backups.follow', { target: tempFolder() })).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('vault') as string,
  });
});
