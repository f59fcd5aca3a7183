import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** Debian keeps the programs of each version here. */
const DEBIAN = '/usr/lib/postgresql';

/** Most attempts to start. */
const STARTS = 100;

/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export const findPostgres = (): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
};

/** A PostgreSQL server of the tests' own, on a free port of this machine. */
export interface PostgresServer {
  readonly port: number;
  /** Of its first process, whose children serve the connections. */
  pid(): number;
  urlOf(database: string): string;
  /** The URL of a new database: empty, or a copy of `template1`. */
  createDatabase(): Promise<string>;
  /** Runs statements as its superuser. */
  query(sql: string, database?: string): Promise<unknown[]>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};

/** PostgreSQL refuses to run as root: it runs as an unprivileged user of the machine. */
const unprivileged = (): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: '-u' | '-g'): number => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

/**
 * Makes and starts a server.
 *
 * @param options how
 * @param options.durable flushes every commit to disk, which is slower
 */
export const startPostgres = async (options: { readonly durable?: boolean } = {}): Promise<PostgresServer> => {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('No PostgreSQL here.');
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'gasdesk-postgres-'));
  chmodSync(folder, 0o700);
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'gasdesk', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  if (options.durable !== true) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  let server: ChildProcess | undefined;
  let databases = 0;

  const urlOf = (database: string): string => `postgres://gasdesk@127.0.0.1:${port}/${database}`;
  const query = async (sql: string, database = 'postgres'): Promise<unknown[]> => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'gasdesk', database });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  /** True if it answers before it ends. */
  const startOnce = async (): Promise<boolean> => {
    const flags = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(join(programs, 'postgres'), flags, { ...user, cwd: folder, stdio: 'ignore', detached: true });
    server = child;
    while (child.exitCode === null && child.signalCode === null) {
      const answers = await query('SELECT 1').then(
        () => true,
        () => false,
      );
      if (answers) return true;
      await wait(50);
    }
    return false;
  };
  /** A start fails while a killed process is still ending, or while a connection of another program uses the port. */
  const start = async (): Promise<void> => {
    for (let left = STARTS; left > 0; left -= 1) {
      if (await startOnce()) return;
      await wait(100);
    }
    throw new Error('PostgreSQL does not start.');
  };
  const end = async (signal: NodeJS.Signals, wholeGroup: boolean): Promise<void> => {
    const child = server;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(wholeGroup ? -child.pid : child.pid, signal);
    await ended;
  };
  await start();
  return {
    port,
    pid: () => server?.pid ?? 0,
    start,
    query,
    urlOf,
    async createDatabase() {
      databases += 1;
      const name = `desk_${databases}`;
      await query(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    kill: () => end('SIGKILL', true),
    async stop() {
      await end('SIGQUIT', false);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
