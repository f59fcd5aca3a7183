#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createLog } from '../engine/base/log.ts';
import { EngineError } from '../shared/errors.ts';
import { createProgram } from './program.ts';

const FAILED = 1;
const BAD_USAGE = 2;
const UNLOCK =
  'Set GASDESK_PASSPHRASE, or use --passphrase-file. If the service is running, restart it with the passphrase.';

/** Tells a person what went wrong, and answers the exit code. */
const fail = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE;
  if (!(error instanceof EngineError)) {
    createLog({ level: 'error' }).error('command.failed', { err: error });
    console.error('gasdesk: Internal error. The log line above has the details.');
    return FAILED;
  }
  const hint = error.code === 'VAULT_LOCKED' && error.data['fix'] === undefined ? `. ${UNLOCK}` : '';
  console.error(`gasdesk: ${error.message}${hint}`);
  return error.code === 'VALIDATION' ? BAD_USAGE : FAILED;
};

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = fail(error);
}
