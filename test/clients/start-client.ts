import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Hex } from '../../src/shared/schema/hex.ts';

/** What a client has made of a task. */
export interface Said {
  readonly userOpHash?: Hex;
  readonly error?: string;
}

/** A client's process. */
export interface RunningClient {
  /** Has a way of the client do a task; throws an Error if the process ends instead. */
  send(way: string, task: object): Promise<Said>;
  /** Ends the process; resolves when it is gone. */
  stop(): Promise<void>;
}

/** Before an answer: SDKs print what they like. run.mjs writes it. */
const MARK = '@@';

/** Starts run.mjs in the folder where a family is installed. */
export const startClient = (folder: string): RunningClient => {
  const child = spawn(process.execPath, ['run.mjs'], { cwd: folder });
  const ended = once(child, 'close');
  const printed: string[] = [];
  child.stderr.on('data', (data: Buffer) => printed.push(data.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async send(way, task) {
      child.stdin.write(`${JSON.stringify({ way, task })}\n`);
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
        if (line.value.startsWith(MARK)) return JSON.parse(line.value.slice(MARK.length)) as Said;
        printed.push(line.value);
      }
      throw new Error(`The client has ended: ${printed.join('\n').slice(-3000)}`);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
