import { systemClock } from '../../src/engine/base/clock.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { openSqliteStore } from '../../src/engine/store/sqlite/sqlite-store.ts';
import { wholePolicy } from './whole-policies.ts';

/**
 * Alternates between two policies in a process that the test kills: `node replace-policies.ts DATABASE`. It prints a
 * line for each change, and ends by itself after a few thousand.
 */

const scope = { paymasterId: 'dapp-1', chainId: 31_337 };
const store = openSqliteStore(process.argv[2] ?? '', { clock: systemClock, log: createLog({ level: 'silent' }) });
for (let round = 0; round < 5000; round += 1) {
  const version = await store.settingsVersion(scope);
  await store.replaceDappPolicy(scope, version, wholePolicy(round % 2 === 0 ? 'odd' : 'even'));
  process.stdout.write(`${round}\n`);
}
await store.close();
