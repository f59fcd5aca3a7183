import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { wordsOf } from '../../test/support/shell-words.ts';
import { examples } from './examples.ts';
import { createProgram } from './program.ts';

const program = await createProgram();

const leaves = (one: Command, name = ''): (readonly [name: string, command: Command])[] => {
  const own = one.commands.length === 0 || name === 'log' ? [[name, one] as const] : [];
  return [...own, ...one.commands.flatMap((child) => leaves(child, `${name} ${child.name()}`.trim()))];
};

const commands = leaves(program);
let ran = '';
for (const [name, command] of commands) command.action(() => void (ran = name));

it('every command has examples, and no others have any', () => {
  expect(Object.keys(examples).sort()).toEqual(commands.map(([name]) => name).sort());
});

it.each(Object.entries(examples).flatMap(([name, lines]) => lines.map((line) => [line, name] as const)))(
  'gasdesk %s: works when it is copied',
  async (line, name) => {
    await program.parseAsync(wordsOf(line), { from: 'user' });
    expect(ran).toBe(name);
  },
);
