#!/usr/bin/env -S node --max-semi-space-size=32 --initial-old-space-size=64 --heap-growing-percent=70 --no-allocation-site-pretenuring
import { runGasdesk } from './run.ts';

const { env, stdin, stdout, stderr } = process;
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of a pipe has read enough, as `head` does.
  if (code === 'EPIPE') process.exit();
  stderr.write(`gasdesk: Cannot write to standard output: ${message}\n`);
  process.exit(1);
});
process.exitCode = await runGasdesk(process.argv.slice(2), { env, stdin, stdout, stderr });
