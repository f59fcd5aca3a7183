import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { buildContracts } from '../../scripts/build-contracts.ts';
import { exportedLog } from '../../src/api/log-export.ts';
import type { LogReport } from '../../src/core/log/log-report.ts';
import { verifyLogFile } from '../../src/engine/log/verify-log.ts';
import { drive } from '../bench/drive.ts';
import { seconds } from '../bench/parse-lines.ts';
import { bulkTraffic, prepareBulk } from './bulk-traffic.ts';
import { startBusyDesk } from './busy-desk.ts';
import { startChainUsers } from './chain-users.ts';
import { type Alteration, alterations, indexLog, writeAltered } from './faults.ts';
import { verifyElsewhere } from './verify-elsewhere.ts';

/**
 * `npm run test:long-log`: a desk makes a long log under every rule, while its chain is reorganised and it is restarted and
 * killed. The log verifies elsewhere by the key alone, and whatever is done to it is named. Prints figures as JSON, and
 * exits with 1 if anything is not as it must be.
 */

const { values: flags } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const ENTRIES = Number(flags.entries);
const ROUNDS = 12;
const CONNECTIONS = 16;

let drawn = Number(flags.seed);
/** The next number from 0 to 1: those of a linear congruential generator (Numerical Recipes). */
const chance = (): number => {
  drawn = (drawn * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return drawn / 2 ** 32;
};

/** A webhook that verifies most operations, denies some, and fails for others. */
const startWebhook = async (): Promise<{ url: string; stop: () => void }> => {
  const server = createServer((request, response) => {
    request.resume();
    const draw = chance();
    if (draw < 0.1) response.writeHead(500);
    response.end(JSON.stringify({ arePoliciesVerified: draw > 0.3 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close() };
};

const isAsTold = ({ ok, faults }: LogReport, { entry, fault }: Alteration): boolean => {
  const [first] = faults;
  if (ok || first === undefined) return false;
  if (fault === undefined)
    return faults.some((one) => one.entry === entry) && Math.abs((first.entry ?? 0) - (entry ?? 0)) < 2;
  return first.fault === fault && first.entry === entry;
};

await buildContracts();
console.error(`seed ${flags.seed}`);
const folder = mkdtempSync(join(tmpdir(), 'gasdesk-long-log-'));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const webhook = await startWebhook();
  ends.push(() => webhook.stop());
  const desk = await startBusyDesk(join(folder, 'desk'));
  let isRunning = true;
  ends.push(() => isRunning && desk.stop());
  const { call } = desk;
  const making = await seconds(async () => {
    const users = await startChainUsers(desk);
    ends.push(() => users.stop());
    const dapps = await prepareBulk(call, webhook.url);
    const traffic = bulkTraffic(desk.url, dapps);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await users.transact();
      await users.reorganise();
      const { paymasterId = '', countRule = '' } = dapps[round % 2] ?? {};
      await call('rules.updateLimit', { paymasterId, ruleId: countRule, update: { threshold: 60 + round } });
      const wanted = (ENTRIES * round) / ROUNDS;
      for (let { entries } = await call('log.state', {}); entries < wanted;) {
        await drive(desk.url, traffic, { connections: CONNECTIONS, requests: Math.min(1_000, wanted - entries) });
        ({ entries } = await call('log.state', {}));
      }
      // It is killed while it decides; anyone who waits for an answer then gets none.
      const busy = drive(desk.url, traffic, { connections: CONNECTIONS, seconds: 60 }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50 + chance() * 400));
      await desk.restart(round % 3 === 0 ? 'stop' : 'kill');
      await busy;
      console.error(`round ${round}: ${(await call('log.state', {})).entries} entries`);
    }
  });
  const { key } = await call('log.key', {});
  const file = join(folder, 'log.jsonl');
  const exporting = await seconds(() => pipeline(Readable.from(exportedLog(call)), createWriteStream(file)));
  await desk.stop();
  isRunning = false;

  const { report, ...whole } = await verifyElsewhere(file, key);
  const mebibytes = Math.round(statSync(file).size / 2 ** 20);
  console.error(
    `${report.entries} entries, ${mebibytes} MiB: verified in ${whole.seconds} s with ${whole.mebibytes} MiB`,
  );
  const wrong = report.ok ? [] : [{ name: 'the log as it is', faults: report.faults.slice(0, 3) }];
  const index = await indexLog(file);
  const altered = join(folder, 'altered.jsonl');
  for (const alteration of alterations(index, chance)) {
    await writeAltered(file, altered, alteration);
    const found = await verifyLogFile(altered, { key, withSignatures: false });
    const isTold = isAsTold(found, alteration);
    const [first] = found.faults;
    console.error(
      `${isTold ? 'named' : 'NOT NAMED'}: ${alteration.name}, entry ${alteration.entry}: ${first?.fault} ${first?.entry}`,
    );
    if (!isTold) wrong.push({ name: alteration.name, faults: found.faults.slice(0, 3) });
  }
  const kinds = Object.fromEntries([...index.positions].map(([kind, all]) => [kind, all.length]));
  const verifying = { ...whole, withoutSignatures: (await verifyElsewhere(file, key, ['--no-signatures'])).seconds };
  console.log(
    JSON.stringify(
      { seed: flags.seed, entries: report.entries, kinds, mebibytes, making, exporting, verifying, wrong },
      null,
      2,
    ),
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  for (const end of ends.toReversed()) await end();
}
