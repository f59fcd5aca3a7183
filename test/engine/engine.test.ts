import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { type Config, loadConfig } from '../../src/engine/config/config.ts';
import { controlClient, isNobodyThere } from '../../src/engine/control/client.ts';
import { type DataFolder, openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { type Engine, createEngine } from '../../src/engine/index.ts';
import { createLog } from '../../src/engine/base/log.ts';
import { type Network, systemNetwork } from '../../src/engine/network/network.ts';
import { Secret } from '../../src/engine/base/secret.ts';

const tempFolder = useTempFolders();
let folder: DataFolder;
let clock: ManualClock;
const engines: Engine[] = [];
const sockets: Socket[] = [];
beforeEach(() => {
  folder = openDataFolder(tempFolder());
  clock = new ManualClock();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const engine of engines.splice(0)) await engine.stop();
});

const start = async (passphrase?: string, config: Partial<Config> = {}, network?: Network): Promise<Engine> => {
  const engine = await createEngine({
    folder,
    config: loadConfig({ flags: { port: 0, ...config } }),
    log: createLog({ level: 'silent' }),
    clock,
    scrypt: { N: 2, r: 8, p: 1 },
    ...(passphrase !== undefined && { passphrase: new Secret(passphrase) }),
    ...(network !== undefined && { network }),
  });
  engines.push(engine);
  return engine;
};

const vaultState = async (engine: Engine): Promise<string> => (await engine.service.call('system.info', {})).vault;

const connection = async (url: string, text: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
};

/** A request with headers received (`100 Continue`) and its body outstanding. */
const halfSent = async (url: string): Promise<Socket> => {
  const lines = [
    'POST /api/v1/31337/nobody HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
    '',
    '',
  ];
  const socket = await connection(url, lines.join('\r\n'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('100 Continue');
  return socket;
};

describe('starting an engine', () => {
  it('has one account from the start, and the same one after a restart', async () => {
    const first = await start();
    const accounts = await first.service.call('accounts.list', {});
    expect(accounts).toHaveLength(1);
    await first.stop();
    expect(await (await start()).service.call('accounts.list', {})).toEqual(accounts);
  });

  it('makes the vault with the first passphrase, opens it with the same one, and stays locked without', async () => {
    const without = await start();
    expect(await vaultState(without)).toBe('absent');
    await without.stop();
    const creating = await start('correct');
    expect(await vaultState(creating)).toBe('unlocked');
    await creating.stop();
    const locked = await start();
    expect(await vaultState(locked)).toBe('locked');
    await locked.stop();
    expect(await vaultState(await start('correct'))).toBe('unlocked');
  });

  it('touches nothing when the passphrase is wrong, and leaves the folder free', async () => {
    await (await start('correct')).stop();
    const before = [folder.vault, folder.database].map((file) => readFileSync(file));

    await expect(start('wrong')).rejects.toMatchObject({ code: 'VAULT_PASSPHRASE_WRONG' });

    expect([folder.vault, folder.database].map((file) => readFileSync(file))).toEqual(before);
    await start('correct');
  });

  it('makes no vault for a database that it refuses', async () => {
    writeFileSync(folder.database, 'not a database');
    await expect(start('correct')).rejects.toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' });
    expect(existsSync(folder.vault)).toBe(false);
  });

  it('refuses a folder that another engine holds, until that one is stopped', async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({
      code: 'DATA_FOLDER_IN_USE',
      message: expect.stringContaining(folder.dir),
    });
    await first.stop();
    await start();
  });
});

describe('serving', () => {
  it('says which address is taken, and lets the folder go', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const engine = await start(undefined, { port });

    await expect(engine.serve()).rejects.toMatchObject({
      code: 'ADDRESS_IN_USE',
      data: { host: '127.0.0.1', port },
      message: expect.stringContaining(`Cannot listen on 127.0.0.1:${port}`),
    });

    await engine.stop();
    other.close();
    expect(existsSync(folder.controlSocket)).toBe(false);
    await start();
  });

  it('opens the control socket to its owner alone, and removes it at the end', async () => {
    const engine = await start();
    await engine.serve();
    expect(statSync(folder.controlSocket).mode & 0o777).toBe(0o600);
    await engine.stop();
    expect(existsSync(folder.controlSocket)).toBe(false);
  });

  it('takes the place of a socket that a killed engine left', async () => {
    writeFileSync(folder.controlSocket, '');
    await (await start()).serve();
    expect(await controlClient(folder.controlSocket)('accounts.list', {})).toHaveLength(1);
  });

  it('answers no procedure that there is not, and no input that is not as it should be', async () => {
    await (await start()).serve();
    const call = controlClient(folder.controlSocket) as (name: string, input: unknown) => Promise<unknown>;
    await expect(call('toString', {})).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    await expect(call('accounts.create', { name: 7 })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: 'name must be a string',
    });
  });
});

describe('the client of the control socket', () => {
  it('distinguishes a missing engine from every other error', async () => {
    const call = controlClient(folder.controlSocket);
    const nobody = await call('system.info', {}).catch((error: unknown) => error);
    expect(isNobodyThere(nobody)).toBe(true);
  });

  it('says so when the engine dies in the middle of its answer', async () => {
    const dying = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"ok":', () => response.destroy());
    });
    dying.listen(folder.controlSocket);
    await once(dying, 'listening');
    try {
      await expect(controlClient(folder.controlSocket)('system.info', {})).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining('did not answer'),
      });
    } finally {
      dying.close();
    }
  });
});

describe('stopping', () => {
  it('answers a request in flight before it ends', async () => {
    const engine = await start();
    const socket = await halfSent(await engine.serve());
    const stopped = engine.stop();

    socket.write('{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 401 Unauthorized');
    await stopped;
    expect(clock.pending).toBe(0);
  });

  it('waits 10 s for a request that does not end, and no longer', async () => {
    const engine = await start();
    const socket = await halfSent(await engine.serve());
    const closed = once(socket, 'close');
    let ended = false;
    const stopped = engine.stop().then(() => {
      ended = true;
    });
    // This wait; the next checks of settlement, the operator's transactions, contracts, clocks, fees, notifications and
    // their delivery, gas schedules, the search index, the continuous backup and whether it is behind; and the
    // connection's time-out.
    await expect.poll(() => clock.pending).toBe(15);

    await clock.advance(9_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    await stopped;
    await closed;
  });

  it.each([
    ['that sent nothing', ''],
    ['whose request was answered', 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('does not wait for a connection %s', async (_what, text) => {
    const engine = await start();
    const socket = await connection(await engine.serve(), text);
    if (text !== '') await once(socket, 'data');
    // The data does not matter, but an unread socket would not see its end.
    socket.resume();
    const closed = once(socket, 'close');
    await engine.stop();
    await closed;
  });

  it('lets a call through the control socket end, too', async () => {
    const engine = await start();
    await engine.serve();
    const slow = request({ socketPath: folder.controlSocket, path: '/accounts.list', method: 'POST' });
    slow.setHeader('content-type', 'application/json');
    slow.setHeader('expect', '100-continue');
    slow.flushHeaders();
    await once(slow, 'continue');
    const stopped = engine.stop();
    slow.end('{}');
    const [response] = (await once(slow, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    expect(response.statusCode).toBe(200);
    response.resume();
    await stopped;
  });

  it('ends a call that waits for the next decision', async () => {
    const engine = await start();
    const waiting = engine.service.call('decisions.follow', {});
    await engine.stop();
    expect(await waiting).toMatchObject({ rows: [] });
    expect(clock.pending).toBe(0);
  });

  it('waits for no node, webhook or mail server, and counts no silence that it has ended', async () => {
    let isSilent = false;
    const server = createServer((socket) => (isSilent ? sockets.push(socket) : socket.destroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      // The clock stands still, so that no time-out ends a request.
      const engine = await start('any', {}, { ...systemNetwork, timers: clock });
      const { service } = engine;
      await service.call('chains.set', { chainId: 31337, rpc: `http://${place}` });
      await service.call('notifications.setWebhook', { url: `http://${place}` });
      const mail = { kind: 'mail', recipient: 'ops@example.org', sender: 'desk@example.org' } as const;
      await service.call('alerts.create', { ...mail, url: `smtp://${place}` });
      isSilent = true;
      await engine.serve();
      await service.call('system.pause', { reason: 'Upgrading' });
      await expect.poll(() => sockets.length).toBe(3);
      await engine.stop();
      expect(clock.pending).toBe(0);

      const again = await start('any');
      expect(await again.service.call('alerts.list', {})).toMatchObject([{ attemptedAt: null, error: null }]);
      expect(await again.service.call('notifications.webhook', {})).toMatchObject({ attemptedAt: null, error: null });
    } finally {
      server.close();
    }
  });
});
