import { expect, test } from 'vitest';
import { createProgram } from './program.ts';

test('each command is loaded by its own name, without the others', async () => {
  const names = (await createProgram()).commands.map((one) => one.name());
  expect(names).toContain('serve');
  for (const name of names) {
    const { commands } = await createProgram(name);
    expect(commands.map((one) => one.name())).toEqual([name]);
  }
});
