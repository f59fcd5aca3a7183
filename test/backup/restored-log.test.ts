import { expect, test } from 'vitest';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import type { Engine } from '../../src/engine/index.ts';
import { verifyDesk } from '../../src/engine/log/verify-log.ts';
import { PASSPHRASE, quickEngine } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

const keyOf = (engine: Engine) => engine.service.call('log.key', {});

test('a restored desk signs its log under another name: the old one may have signed what the backup does not hold', async () => {
  const dir = tempFolder();
  const before = await quickEngine(dir);
  const { path: file } = await before.service.call('backups.create', { file: tempFolder(), passphrase: PASSPHRASE });
  await before.service.call('accounts.create', { name: 'After the backup' });
  const old = await keyOf(before);
  await before.stop();

  await restoreBackup({ file, passphrase: new Secret(PASSPHRASE), dir, now: Date.now, logN: 10 });
  const after = await quickEngine(dir);
  try {
    const restored = await keyOf(after);
    expect(restored.origin).not.toBe(old.origin);
    expect(restored.key.split('+')[2]).not.toBe(old.key.split('+')[2]);
    await after.service.call('accounts.create', { name: 'Anybody' });
    await after.service.call('log.checkpoint', {});
    const entries = await after.service.call('log.list', { kind: 'action' });
    const idOf = (origin: string) => ({ deskId: origin.replace('gasdesk/', '') });
    expect(entries.map(({ body }) => body)).toContainEqual({
      action: 'restore',
      via: 'cli',
      by: 'operator',
      changes: [
        expect.objectContaining({
          subject: 'desk',
          before: idOf(old.origin),
          after: expect.objectContaining(idOf(restored.origin)) as unknown,
        }),
      ],
    });
    const call = after.service.call.bind(after.service);
    expect(await verifyDesk(call, { withSignatures: true })).toMatchObject({ ok: true, faults: [] });
  } finally {
    await after.stop();
  }
});
