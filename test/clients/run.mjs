// Runs a client's ways: a line of stdin is {"ask", "way", "task"}. The answer is a line of stdout after a mark that no SDK
// prints: {"userOpHash"} of what was sent, {"account"} that the way makes of the task, if it is of a kind that only the
// client knows, or {"error"}. It lies next to client.mjs, where the client's packages are installed.
import process from 'node:process';
import { createInterface } from 'node:readline';
import * as client from './client.mjs';

/** All that an error says: its causes and details show what an SDK wraps. */
const words = (error) => {
  const { message, details, cause } = Object(error);
  return [message ?? JSON.stringify(error) ?? String(error), details, cause && words(cause)].filter(Boolean).join('\n');
};

const answer = async ({ ask, way, task }) =>
  ask === 'account'
    ? { account: await client.accountOf?.(task, way) }
    : { userOpHash: await client.default[way](task) };

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(JSON.parse(line)).catch((error) => ({ error: words(error) }));
  process.stdout.write(`\n@@${JSON.stringify(said)}\n`);
}
process.exit();
