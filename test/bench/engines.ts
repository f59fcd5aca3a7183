import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCli } from '../../scripts/build-stale.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { limit, startDesk } from './desk.ts';
import { type Load, drive } from './drive.ts';
import { p99Of } from './measure.ts';
import { sponsorTraffic } from './operations.ts';
import { readUsage, type ServerProcess, startServer } from './server-process.ts';

/**
 * `npm run bench:engines`: 1, 2 and 4 engines on one PostgreSQL of this machine, which flushes every commit to disk; prints
 * one JSON document. `hot` is one limit that all operations count in, `cold` a limit of each user's own. Linux only.
 */

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '64' },
    engines: { type: 'string', default: '1,2,4' },
  },
});
const seconds = Number(flags.seconds);
const connections = Number(flags.connections);

/** What the engines did together under one load. */
interface EngineFigures {
  readonly engines: number;
  readonly decisionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all engines, user and system, µs per decision. */
  readonly engineCpuMicros: number;
  /** Of all processes of the database. */
  readonly databaseCpuMicros: number;
  /** What a decision leaves in the database, and what is written ahead of it (WAL). */
  readonly storedBytes: number;
  readonly walBytes: number;
}

/** Bytes that a database takes, and that its server has ever written ahead. */
interface Written {
  readonly stored: number;
  readonly wal: number;
}

/** CPU that the server and its children have used, µs; what ended before is in its parent's figure. */
const databaseCpu = (pid: number): number => {
  const isOurs = (candidate: string): boolean => {
    try {
      const fields = readFileSync(`/proc/${candidate}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
      return Number(candidate) === pid || Number(fields[1]) === pid;
    } catch {
      return false;
    }
  };
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name));
  return processes.reduce((sum, one) => sum + readUsage(Number(one)).cpuMicros, 0);
};

const writtenIn = async (server: PostgresServer, database: string): Promise<Written> => {
  const sql = `SELECT pg_database_size(current_database())::float8 AS stored,
    pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`;
  const [written] = (await server.query(sql, new URL(database).pathname.slice(1))) as Written[];
  if (written === undefined) throw new Error('The server did not say what it has written.');
  return written;
};

const withEngines = async <T>(
  server: PostgresServer,
  count: number,
  run: (engines: readonly ServerProcess[], path: string, database: string) => Promise<T>,
  kind: 'hot' | 'cold',
): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'gasdesk-engines-'));
  const undo: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
  try {
    const log = openSync(join(dir, 'engines.log'), 'a');
    undo.push(() => closeSync(log));
    const database = await server.createDatabase();
    const first = await startDesk(join(dir, 'engine-1'), log, [], { database });
    undo.push(() => first.stop());
    const { paymasterId } = first;
    const rule = kind === 'hot' ? limit('In all', 'PAYMASTER') : limit('Per user', 'SMART_ACCOUNT');
    await first.call('rules.create', { paymasterId, rule });
    const engines: ServerProcess[] = [first];
    for (let number = 2; number <= count; number += 1) {
      const args = [
        buildCli(),
        'serve',
        '--port',
        '0',
        '--data',
        join(dir, `engine-${number}`),
        '--database',
        database,
      ];
      const engine = await startServer(args, { env: { GASDESK_PASSPHRASE: 'benchmark' }, stderr: log });
      undo.push(() => engine.stop());
      engines.push(engine);
    }
    return await run(engines, first.path, database);
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const driveAll = (engines: readonly ServerProcess[], path: string, plan: { seconds: number }): Promise<Load[]> =>
  Promise.all(
    engines.map(({ url }) =>
      drive(url, sponsorTraffic(url, path), { connections: Math.ceil(connections / engines.length), ...plan }),
    ),
  );

const measureEngines = (server: PostgresServer, count: number, kind: 'hot' | 'cold'): Promise<EngineFigures> =>
  withEngines(
    server,
    count,
    async (engines, path, database) => {
      console.error(`bench: ${kind}, ${count} engines`);
      await driveAll(engines, path, { seconds: Math.max(4, seconds / 2) });
      const engineCpu = (): number => engines.reduce((sum, engine) => sum + engine.usage().cpuMicros, 0);
      const measured = async () => ({
        engine: engineCpu(),
        database: databaseCpu(server.pid()),
        ...(await writtenIn(server, database)),
      });
      const before = await measured();
      const loads = await driveAll(engines, path, { seconds });
      const after = await measured();
      const latencies = loads.flatMap((load) => load.latencies);
      const each = (kind: keyof typeof before): number => Math.round((after[kind] - before[kind]) / latencies.length);
      return {
        engines: count,
        decisionsPerSecond: Math.round(loads.reduce((sum, load) => sum + load.requests / load.seconds, 0)),
        ...p99Of(latencies),
        engineCpuMicros: each('engine'),
        databaseCpuMicros: each('database'),
        storedBytes: each('stored'),
        walBytes: each('wal'),
      };
    },
    kind,
  );

const server = await startPostgres({ durable: true });
try {
  const results: Record<'hot' | 'cold', EngineFigures[]> = { hot: [], cold: [] };
  for (const kind of ['hot', 'cold'] as const) {
    for (const count of flags.engines.split(',').map(Number))
      results[kind].push(await measureEngines(server, count, kind));
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  console.log(JSON.stringify({ machine, seconds, connections, ...results }, null, 2));
} finally {
  await server.stop();
}
