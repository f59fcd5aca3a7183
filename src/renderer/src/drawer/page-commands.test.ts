import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { dappTabs } from '../desk/dapp-place.ts';
import { pages } from '../shell/pages.ts';
import { commandSummaries } from './command-summaries.ts';
import { type PagePlace, pageCommands } from './page-commands.ts';

const chains = [{ chainId: 31337 }, { chainId: 8453 }];
const decisionId = '019ab3c4-1111-7222-8333-444455556666';
const sender = `0x${'ab'.repeat(20)}`;

const places: [string, PagePlace][] = [
  ...pages.map(({ name }): [string, PagePlace] => [name, { page: name, chains }]),
  ...dappTabs.map((tab): [string, PagePlace] => [
    `a DApp's ${tab}`,
    { page: 'dapps', chains, dapp: { name: 'Game', tab } },
  ]),
  ...['dapps', 'settings', 'setup'].map((page): [string, PagePlace] => [
    `${page} before a chain has a node`,
    { page, chains: [] },
  ]),
  ['an open decision', { page: 'decisions', chains, decisionId }],
  ['a filter', { page: 'decisions', chains, filter: { outcome: 'denied', sender } }],
  ['an open rule', { page: 'dapps', chains, rule: "Ann's $5 rule", dapp: { name: 'Game', tab: 'policy' } }],
  ['an inspected value', { page: 'inspect', chains, inspected: '{"sender": "0x12"}' }],
  ['a DApp of any name', { page: 'dapps', chains, dapp: { name: `It's "a" $(game) \`x\` \\`, tab: 'connect' } }],
];

/** The words of a line as a real shell reads it. What is redirected is the shell's. */
const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `set -- ${line.replace(/ > [\w.-]+$/, '')}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('the commands of a page', () => {
  let program: Command;
  let ran: Command | undefined;
  const all = (one: Command): Command[] => [one, ...one.commands.flatMap(all)];
  beforeAll(async () => {
    program = await createProgram();
    for (const command of all(program)) if (command.commands.length === 0) command.action(() => void (ran = command));
  });

  it.each(places)('work when they are copied: %s', async (_what, place) => {
    const commands = pageCommands(place);
    expect(commands.length).toBeGreaterThan(0);
    for (const { line, does } of commands) {
      const [gasdesk, ...words] = wordsOf(line);
      expect(gasdesk).toBe('gasdesk');
      await program.parseAsync(words, { from: 'user' });
      expect(ran?.summary(), line).toBe(does);
    }
  });

  it('name the DApp, whatever its name', () => {
    const [, place] = places.at(-1)!;
    for (const { line } of pageCommands(place)) expect(wordsOf(line)).toContain(place.dapp?.name);
  });

  it('name what is open', () => {
    const lines = (name: string): string =>
      pageCommands(new Map(places).get(name)!)
        .map(({ line }) => line)
        .join('\n');
    expect(lines('an open decision')).toContain(`gasdesk decisions show ${decisionId}`);
    expect(lines('a filter')).toContain(`gasdesk decisions list --outcome denied --sender ${sender}`);
    expect(lines('an open rule')).toContain(String.raw`gasdesk rule pause 'Ann'\''s $5 rule' --dapp Game`);
  });
});

it('knows every command, as the command line describes it', async () => {
  const names = (one: Command, name = ''): string[] =>
    one.commands.length === 0
      ? [name]
      : one.commands.flatMap((child) => names(child, `${name} ${child.name()}`.trim()));
  expect(Object.keys(commandSummaries).sort()).toEqual(names(await createProgram()).sort());
});
