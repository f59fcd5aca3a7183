import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Secret } from '../engine/base/secret.ts';
import { serveUntil } from './stop-requested.ts';
import { inTerminal } from './terminal.ts';

const shown = async (isTTY: boolean): Promise<string> => {
  let text = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const stderr = new Writable();
  const terminal = { env: {}, stdin: Readable.from([]), stdout: Object.assign(stdout, { isTTY }), stderr };
  const served = { operatorToken: new Secret('secret'), stop: () => Promise.resolve() };
  await inTerminal(terminal, () => serveUntil(Promise.resolve(), served, () => Promise.resolve('http://127.0.0.1:1')));
  return text;
};

it('a service says where its console is: to a person in words, to a program in JSON', async () => {
  const console = 'http://127.0.0.1:1/console/#token=secret';
  expect(await shown(true)).toBe(`The console is at ${console}; Ctrl-C ends the service.\n`);
  expect(JSON.parse(await shown(false))).toEqual({ event: 'listening', url: 'http://127.0.0.1:1', console });
});
