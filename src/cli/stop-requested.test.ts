import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { fakeOpener } from '../../test/support/fake-opener.ts';
import { useTempFolders } from '../../test/support/temp-folder.ts';
import { Secret } from '../engine/base/secret.ts';
import { serveUntil } from './stop-requested.ts';
import { inTerminal } from './terminal.ts';

const newFolder = useTempFolders();
const CONSOLE = 'http://127.0.0.1:1/console/#token=secret';

interface Shown {
  readonly isTTY: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly stopped?: Promise<unknown>;
}

const shown = async ({ isTTY, env = {}, stopped = Promise.resolve() }: Shown): Promise<string> => {
  let text = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const stderr = new Writable();
  const terminal = { env, stdin: Readable.from([]), stdout: Object.assign(stdout, { isTTY }), stderr };
  const served = { operatorToken: new Secret('secret'), stop: () => Promise.resolve() };
  const serve = () => Promise.resolve('http://127.0.0.1:1');
  await inTerminal(terminal, () => serveUntil(stopped, served, serve, true));
  return text;
};

it('a service says where its console is: to a person in words, to a program in JSON', async () => {
  expect(await shown({ isTTY: true })).toBe(`The console is at ${CONSOLE}\nCtrl-C ends the service.\n`);
  const listening = { event: 'listening', url: 'http://127.0.0.1:1', console: CONSOLE };
  expect(JSON.parse(await shown({ isTTY: false }))).toEqual(listening);
});

it.skipIf(process.platform !== 'linux')(
  'the console is opened for a person, by an address that works once and has no token',
  async () => {
    const opener = fakeOpener(newFolder());
    const stop = Promise.withResolvers<undefined>();
    const ended = shown({ isTTY: true, env: { ...opener.env, DISPLAY: ':0' }, stopped: stop.promise });
    const address = await opener.opened();
    expect(address).not.toContain('secret');
    expect((await fetch(new URL('/other', address))).status).toBe(404);
    const answer = await fetch(address, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, CONSOLE]);
    await expect(fetch(address, { redirect: 'manual' })).rejects.toThrow();
    stop.resolve(undefined);
    await ended;
  },
);
