#!/usr/bin/env -S node --max-semi-space-size=32 --initial-old-space-size=64 --heap-growing-percent=70
import { runGasdesk } from './run.ts';

const { env, stdin, stdout, stderr } = process;
// The reader of a pipe has read enough, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await runGasdesk(process.argv.slice(2), { env, stdin, stdout, stderr });
