// Runs a client's ways: a line of stdin is {"way", "task"}, and each is answered by a line of stdout, {"userOpHash"} or
// {"error"}, after a mark that no SDK prints. Without a way it is asked for the task's {"account"}, which only clients
// with accounts of their own know. It lies beside client.mjs, where the client's packages are installed.
import process from 'node:process';
import { createInterface } from 'node:readline';
import * as client from './client.mjs';

/** All that an error says: what an SDK wraps is told by its causes and details. */
const words = (error) => {
  const { message, details, cause } = Object(error);
  return [message ?? JSON.stringify(error) ?? String(error), details, cause && words(cause)].filter(Boolean).join('\n');
};

const answer = async ({ way, task }) =>
  way ? { userOpHash: await client.default[way](task) } : { account: await client.accountOf?.(task) };

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(JSON.parse(line)).catch((error) => ({ error: words(error) }));
  process.stdout.write(`\n@@${JSON.stringify(said)}\n`);
}
process.exit();
