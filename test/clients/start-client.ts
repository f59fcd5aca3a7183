import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';

/** What a client has made of a task. */
export interface Said {
  readonly userOpHash?: Hex;
  readonly error?: string;
}

/** A client's process. What is asked of it throws an Error if the process ends instead. */
export interface RunningClient {
  /** The account that a way makes of a task, if it is of a kind that only the client knows. */
  accountOf(way: string, task: object): Promise<Address | undefined>;
  /** Has a way of the client do a task. */
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
  const ask = async (question: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      if (line.value.startsWith(MARK)) return JSON.parse(line.value.slice(MARK.length));
      printed.push(line.value);
    }
    throw new Error(`The client has ended: ${printed.join('\n').slice(-3000)}`);
  };
  return {
    async accountOf(way, task) {
      const said = (await ask({ ask: 'account', way, task })) as { account?: Address; error?: string };
      if (said.error !== undefined) throw new Error(said.error);
      return said.account;
    },
    send: async (way, task) => (await ask({ ask: 'send', way, task })) as Said,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
