import { Command, Help } from 'commander';
import { version } from '../engine/base/version.ts';
import { command } from './command.ts';
import { examples } from './examples.ts';
import { terminal } from './terminal.ts';

/**
 * The commands, in the order of the help. Each is loaded only when it is needed, because loading all of them takes
 * longer than running most of them.
 */
const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./serve.ts')).serveCommand],
  ['review', async () => (await import('./review.ts')).reviewCommand],
  ['dev', async () => (await import('./dev.ts')).devCommand],
  ['demo', async () => (await import('./demo.ts')).demoCommand],
  ['account', async () => (await import('./access.ts')).accountCommand],
  ['token', async () => (await import('./access.ts')).tokenCommand],
  ['dapp', async () => (await import('./dapp.ts')).dappCommand],
  ['api-key', async () => (await import('./access.ts')).apiKeyCommand],
  ['funding-wallet', async () => (await import('./funding-wallet.ts')).fundingWalletCommand],
  ['keystore', async () => (await import('./keystore.ts')).keystoreCommand],
  ['webhook', async () => (await import('./webhook.ts')).webhookCommand],
  ['event-webhook', async () => (await import('./event-webhook.ts')).eventWebhookCommand],
  ['chain', async () => (await import('./chain.ts')).chainCommand],
  ['signer', async () => (await import('./contract.ts')).signerCommand],
  ['vault', async () => (await import('./vault.ts')).vaultCommand],
  ['contract', async () => (await import('./contract.ts')).contractCommand],
  ['tank', async () => (await import('./contract.ts')).tankCommand],
  ['fee-token', async () => (await import('./fee-token.ts')).feeTokenCommand],
  ['policy', async () => (await import('./policy.ts')).policyCommand],
  ['rule', async () => (await import('./rule.ts')).ruleCommand],
  ['voucher', async () => (await import('./voucher.ts')).voucherCommand],
  ['pause', async () => (await import('./pause.ts')).pauseCommand],
  ['resume', async () => (await import('./pause.ts')).resumeCommand],
  ['decisions', async () => (await import('./decisions.ts')).decisionsCommand],
  ['requests', async () => (await import('./requests.ts')).requestsCommand],
  ['costs', async () => (await import('./costs.ts')).costsCommand],
  ['inspect', async () => (await import('./inspect.ts')).inspectCommand],
  ['notifications', async () => (await import('./notifications.ts')).notificationsCommand],
  ['alert', async () => (await import('./alert.ts')).alertCommand],
  ['backup', async () => (await import('./backup.ts')).backupCommand],
  ['restore', async () => (await import('./restore.ts')).restoreCommand],
  ['database', async () => (await import('./database.ts')).databaseCommand],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand],
  ['log', async () => (await import('./log.ts')).logCommand],
  ['openapi', async () => (await import('./openapi.ts')).openapiCommand],
  ['config', async () => (await import('./config.ts')).configCommand],
  ['completion', async () => (await import('./completion.ts')).completionCommand],
  ['version', async () => (await import('./version.ts')).versionCommand],
]);

/** Names that words of the command line had earlier, so that scripts with them keep working. */
export const withTodaysNames = (args: readonly string[]): string[] =>
  args.map((word, index) => {
    if (index === 0) return word === 'paymaster' ? 'dapp' : word;
    if (word === '--data' && /^\s*[{@]/.test(args[index + 1] ?? '')) return '--policy-data';
    return word.replace(/^--paymaster(?=$|=)/, '--dapp').replace(/^--chain-id(?=$|=)/, '--chain');
  });

/** Options of every command. */
export const commonOptions = command('any', '').options;

/**
 * Moves options of every command from before the command's name to before its own options, which then win. Without a
 * command, they mean nothing.
 */
export const withCommandFirst = (args: readonly string[]): readonly string[] => {
  let at = 0;
  for (let flag = args[0]; flag !== undefined; flag = args[at]) {
    const name = flag.split('=', 1)[0];
    const option = commonOptions.find(({ long }) => long === name);
    if (option === undefined) break;
    at += option.required && flag === name ? 2 : 1;
  }
  const rest = args.slice(at);
  const own = rest.findIndex((word, index) => index > 0 && word.startsWith('-'));
  return rest.length === 0 ? rest : rest.toSpliced(own === -1 ? rest.length : own, 0, ...args.slice(0, at));
};

/**
 * Commander reports a missing option before an unknown one, which is probably the same option, misspelt. So a command
 * with an unknown option misses nothing; it fails in any case.
 */
const reportUnknownFirst = (one: Command): void => {
  one.parseOptions = (argv) => {
    const parsed = Command.prototype.parseOptions.call(one, argv);
    if (parsed.unknown.length > 0 && one.commands.length === 0) {
      for (const option of one.options) {
        const name = option.attributeName();
        if (option.mandatory && one.getOptionValue(name) === undefined) one.setOptionValue(name, null);
      }
    }
    return parsed;
  };
};

/** Adds examples to the help of each command. Commands are shared by all programs of a process, so this may be repeated. */
const addExamples = (one: Command, name: string): void => {
  const lines = examples[name] ?? [];
  one.configureHelp({
    formatHelp(command, help) {
      const text = Help.prototype.formatHelp.call(help, command, help);
      return lines.length === 0 ? text : `${text}\nExamples:\n${lines.map((line) => `  gasdesk ${line}\n`).join('')}`;
    },
  });
  for (const child of one.commands) addExamples(child, `${name} ${child.name()}`.trim());
};

/**
 * Prevents Commander from ending the process and from writing to its streams. Commander would do both unless every
 * command is configured (behaviour 1.5).
 */
const leaveProcessToUs = (one: Command): void => {
  one.exitOverride();
  one.configureOutput({
    writeOut: (text) => void terminal().stdout.write(text),
    writeErr: (text) => void terminal().stderr.write(text),
  });
  const names = one.parent === null ? [] : one.commands.map((child) => child.name());
  one.showHelpAfterError(
    names.length === 0 ? '(use --help for usage)' : `(commands: ${names.join(', ')}; use --help for usage)`,
  );
  reportUnknownFirst(one);
  one.commands.forEach(leaveProcessToUs);
};

/**
 * The command line with one command. Without a name, or with an unknown name, it contains all commands, for help and
 * errors.
 */
export const createProgram = async (name = ''): Promise<Command> => {
  const program = new Command('gasdesk').description('ERC-4337 paymaster desk').version(version);
  // `gasdesk log` has both options and subcommands.
  program.enablePositionalOptions();
  const named = commands.get(name);
  for (const load of named === undefined ? commands.values() : [named]) program.addCommand(await load());
  addExamples(program, '');
  leaveProcessToUs(program);
  return program;
};
