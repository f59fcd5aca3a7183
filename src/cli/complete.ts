import { existsSync } from 'node:fs';
import type { Argument, Command, Option } from 'commander';
import type { Caller } from '../api/index.ts';
import { dataPath, runningEngine } from './desk.ts';
import { harmless } from './human-text.ts';
import { commonOptions, createProgram, withCommandFirst } from './program.ts';
import { printLine } from './terminal.ts';

/** A word with which a command line may continue. */
interface Completion {
  readonly word: string;
  readonly help: string;
}

/** Names that only the desk knows, by what the help calls the value. */
const names: Readonly<Record<string, (call: Caller) => Promise<readonly Completion[]>>> = {
  dapp: async (call) =>
    (await call('paymasters.list', {})).map(({ name, paymasterId }) => ({ word: name, help: paymasterId })),
  account: async (call) =>
    (await call('accounts.list', {})).map(({ name, accountId }) => ({ word: name, help: accountId })),
  chain: async (call) =>
    (await call('chains.list', {})).flatMap(({ chainId, name }) => [
      { word: String(chainId), help: name },
      { word: name, help: String(chainId) },
    ]),
};

/** The value after a flag among the words. */
const valueOf = (words: readonly string[], flag: string): string | undefined =>
  words.find((_, index) => words[index - 1] === flag);

/** A shell waits no longer for names. */
const NAMES_MS = 2_000;

/** The values that an option or argument takes. Names are those of a running service, because only it answers fast. */
const valuesOf = async (of: Option | Argument, words: readonly string[]): Promise<readonly Completion[]> => {
  if (of.argChoices !== undefined) return of.argChoices.map((word) => ({ word, help: '' }));
  const kind = /[<[](\w+)/.exec('flags' in of ? of.flags : `<${of.name()}>`)?.[1] ?? '';
  const list = Object.hasOwn(names, kind) ? names[kind] : undefined;
  const data = valueOf(words, '--data');
  const options = data === undefined ? {} : { data };
  if (list === undefined || !existsSync(dataPath(options))) return [];
  const call = await runningEngine(options, AbortSignal.timeout(NAMES_MS));
  return call === undefined ? [] : list(call);
};

/** Completions of the last word, which may be empty. @param words the command line after `gasdesk` */
const completionsOf = async (words: readonly string[]): Promise<readonly Completion[]> => {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  let command: Command = await createProgram(withCommandFirst(before)[0]);
  let awaited: Option | undefined;
  let given = 0;
  for (const word of before) {
    const child: Command | undefined = command.commands.find((one) => one.name() === word);
    if (awaited !== undefined) awaited = undefined;
    else if (word.startsWith('-'))
      awaited = [...command.options, ...commonOptions].find(
        ({ long, short, flags }) => [long, short].includes(word) && flags.includes('<'),
      );
    else if (child !== undefined) command = child;
    else if (command.registeredArguments.length === 0) return [];
    else given += 1;
  }
  if (awaited !== undefined) return valuesOf(awaited, words);
  const help = command.createHelp();
  if (last.startsWith('-')) {
    return help
      .visibleOptions(command)
      .filter(({ long }) => typeof long === 'string' && !before.includes(long))
      .map(({ long, description }) => ({ word: long ?? '', help: description }));
  }
  const children = help.visibleCommands(command).map((one) => ({ word: one.name(), help: one.summary() }));
  const argument = command.registeredArguments[given];
  return [...children, ...(argument === undefined ? [] : await valuesOf(argument, words))];
};

/** Prints what the scripts of `gasdesk completion` ask for. The words may begin with a quote that is still open. */
export const printCompletions = async (words: readonly string[]): Promise<void> => {
  const last = (words.at(-1) ?? '').replace(/^["']/, '').replaceAll('\\', '').toLowerCase();
  for (const { word, help } of await completionsOf(words)) {
    if (word.toLowerCase().startsWith(last)) printLine(harmless(word) + (help === '' ? '' : `\t${harmless(help)}`));
  }
};
