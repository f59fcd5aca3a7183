import { Command } from 'commander';
import { version } from '../engine/base/version.ts';
import { accountCommand, apiKeyCommand, tokenCommand } from './access.ts';
import { backupCommand } from './backup.ts';
import { chainCommand } from './chain.ts';
import { configCommand } from './config.ts';
import { contractCommand, signerCommand, tankCommand } from './contract.ts';
import { databaseCommand } from './database.ts';
import { decisionsCommand } from './decisions.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { feeTokenCommand } from './fee-token.ts';
import { fundingWalletCommand } from './funding-wallet.ts';
import { inspectCommand } from './inspect.ts';
import { keystoreCommand } from './keystore.ts';
import { logCommand } from './log.ts';
import { notificationsCommand } from './notifications.ts';
import { openapiCommand } from './openapi.ts';
import { pauseCommand, resumeCommand } from './pause.ts';
import { paymasterCommand } from './paymaster.ts';
import { policyCommand } from './policy.ts';
import { ruleCommand } from './rule.ts';
import { reviewCommand } from './review.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { terminal } from './terminal.ts';
import { vaultCommand } from './vault.ts';
import { webhookCommand } from './webhook.ts';

const commands = [
  serveCommand,
  reviewCommand,
  demoCommand,
  accountCommand,
  tokenCommand,
  paymasterCommand,
  apiKeyCommand,
  fundingWalletCommand,
  keystoreCommand,
  webhookCommand,
  chainCommand,
  signerCommand,
  vaultCommand,
  contractCommand,
  tankCommand,
  feeTokenCommand,
  policyCommand,
  ruleCommand,
  pauseCommand,
  resumeCommand,
  decisionsCommand,
  inspectCommand,
  notificationsCommand,
  backupCommand,
  restoreCommand,
  databaseCommand,
  doctorCommand,
  logCommand,
  openapiCommand,
  configCommand,
];

/**
 * Prevents Commander from ending the process and writing to its streams, which it does unless every command overrides
 * that (behaviour 1.5).
 */
const leaveProcessToUs = (one: Command): void => {
  one.exitOverride();
  one.configureOutput({
    writeOut: (text) => void terminal().stdout.write(text),
    writeErr: (text) => void terminal().stderr.write(text),
  });
  one.showHelpAfterError('(use --help for usage)');
  one.commands.forEach(leaveProcessToUs);
};

/** The command line with every command. */
export const createProgram = (): Command => {
  const program = new Command('gasdesk').description('ERC-4337 paymaster desk').version(version);
  // `gasdesk log` has both options and subcommands.
  program.enablePositionalOptions();
  for (const child of commands) program.addCommand(child);
  leaveProcessToUs(program);
  return program;
};
