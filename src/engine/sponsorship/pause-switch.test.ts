import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { useTempFolders } from '../../../test/support/temp-folder.ts';
import { createLog } from '../base/log.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { createPauseSwitch } from './pause-switch.ts';

const tempFolder = useTempFolders();

it('logs why all sponsorship is paused, by any cause, once each time', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  const store = openSqliteStore(join(tempFolder(), 'gasdesk.db'), { clock: new ManualClock(), log });
  const pause = await createPauseSwitch(store, log);
  await pause.set({ since: 1, reason: 'Key rotation' });
  await pause.set(null);
  // As a decision does.
  await store.savePause({ since: 2, reason: 'Burn-rate breaker: too much' });
  await pause.refresh();
  await pause.refresh();
  expect(pause.current()).toEqual({ since: 2, reason: 'Burn-rate breaker: too much' });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', event: 'sponsorship.paused', reason: 'Key rotation' },
    { level: 'warn', event: 'sponsorship.resumed' },
    { level: 'warn', event: 'sponsorship.paused', reason: 'Burn-rate breaker: too much' },
  ]);
  await store.close();
});
