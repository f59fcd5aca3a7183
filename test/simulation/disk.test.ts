import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useTempFolders } from '../support/temp-folder.ts';
import { SimulatedDesk } from './desk.ts';
import { drawOf } from '../support/draw.ts';
import { VirtualTime } from './time.ts';
import { Internet } from './wires.ts';

const tempFolder = useTempFolders();

it('a change that is stored is confirmed, although the disk has no room left for its entry in the log', async () => {
  const disk = { full: 0, unreadable: 0, slowMs: 0 };
  const place = { draw: drawOf('room'), time: new VirtualTime(), internet: new Internet() };
  const desk = new SimulatedDesk({ dir: tempFolder(), ...place, disk });
  await desk.start();
  const stored = new Database(desk.database, { readonly: true });
  try {
    const names = async () => (await desk.call('accounts.list', {})).map(({ name }) => name);
    const creating = desk.call('accounts.create', { name: 'Second' });
    const isStored = stored.prepare(`SELECT 1 FROM account WHERE name = 'Second'`);
    while (isStored.get() === undefined) await new Promise((resolve) => setImmediate(resolve));
    disk.full = 100;
    expect(await creating).toMatchObject({ name: 'Second' });
    expect(await names()).toContain('Second');
    await expect(desk.call('accounts.create', { name: 'Third' })).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    disk.full = 0;
    expect(await names()).not.toContain('Third');
    const entered = stored.prepare(`SELECT count(*) FROM operator_change WHERE after ->> 'name' = 'Second'`).pluck();
    await desk.call('accounts.create', { name: 'Fourth' });
    expect(entered.get()).toBe(0);
  } finally {
    stored.close();
    disk.full = 0;
    await desk.stop();
  }
});
