import { Command, CommanderError } from 'commander';
import { createLog } from '../engine/base/log.ts';
import { EngineError } from '../shared/errors.ts';
import { accountCommand } from './account.ts';
import { backupCommand } from './backup.ts';
import { chainCommand } from './chain.ts';
import { configCommand } from './config.ts';
import { contractCommand } from './contract.ts';
import { decisionsCommand } from './decisions.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { feeTokenCommand } from './fee-token.ts';
import { fundingWalletCommand } from './funding-wallet.ts';
import { keystoreCommand } from './keystore.ts';
import { logCommand } from './log.ts';
import { openapiCommand } from './openapi.ts';
import { pauseCommand, resumeCommand } from './pause.ts';
import { paymasterCommand } from './paymaster.ts';
import { reviewCommand } from './review.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { signerCommand } from './signer.ts';
import { tankCommand } from './tank.ts';
import { tokenCommand } from './token.ts';
import { vaultCommand } from './vault.ts';
import { webhookCommand } from './webhook.ts';

const FAILED = 1;
const BAD_USAGE = 2;
const UNLOCK =
  'Give its passphrase in GASDESK_PASSPHRASE or --passphrase-file; if the service runs, give it to the service when it starts.';

const commands = [
  serveCommand,
  reviewCommand,
  demoCommand,
  accountCommand,
  tokenCommand,
  paymasterCommand,
  fundingWalletCommand,
  keystoreCommand,
  webhookCommand,
  chainCommand,
  signerCommand,
  vaultCommand,
  contractCommand,
  tankCommand,
  feeTokenCommand,
  pauseCommand,
  resumeCommand,
  decisionsCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  logCommand,
  openapiCommand,
  configCommand,
];

const program = new Command('gasdesk').description('The paymaster desk, headless');
for (const child of commands) program.addCommand(child);

/** Commander ends the process itself unless every command is told not to; exit codes are ours (SPEC 1). */
const leaveExitToUs = (one: Command): void => {
  one.exitOverride();
  one.showHelpAfterError('(--help shows what there is)');
  one.commands.forEach(leaveExitToUs);
};
leaveExitToUs(program);

/** Tells a person what went wrong, and answers the exit code. */
const fail = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_USAGE;
  if (!(error instanceof EngineError)) {
    createLog({ level: 'error' }).error('command.failed', { err: error });
    console.error('gasdesk: Internal error; the line above says where.');
    return FAILED;
  }
  const hint = error.code === 'VAULT_LOCKED' && error.data['fix'] === undefined ? `. ${UNLOCK}` : '';
  console.error(`gasdesk: ${error.message}${hint}`);
  return error.code === 'VALIDATION' ? BAD_USAGE : FAILED;
};

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = fail(error);
}
