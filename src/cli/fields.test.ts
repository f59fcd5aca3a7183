import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { command } from './command.ts';
import { type Fields, type Words, withFields } from './fields.ts';
import { createProgram } from './program.ts';

const common = new Set(command('any', 'Any').options.map((option) => option.attributeName()));

const fieldsOf = (one: Command): Fields | undefined => (one as Command & { fields?: Fields }).fields;

const all = (one: Command): Command[] => [one, ...one.commands.flatMap(all)];

/** Errors in the declared fields of a command. */
const errorsOf = (one: Command): string[] => {
  const { schema, words, fieldOf, hasMore } = fieldsOf(one)!;
  const fields = Object.keys(schema.shape);
  const offered = new Set(fieldOf.values());
  const own = one.options.map((option) => option.attributeName()).filter((name) => !common.has(name));
  const isHelped = [...one.options, ...one.registeredArguments].every(({ description }) => description.length > 3);
  return [
    ...fields.filter((field) => !(field in words)).map((field) => `${field} has no words`),
    ...Object.keys(words)
      .filter((field) => !fields.includes(field))
      .map((field) => `${field} is not a field`),
    ...[...offered].filter((field) => !fields.includes(field)).map((field) => `an option is for ${field}`),
    ...own.filter((name) => !hasMore && !fieldOf.has(name)).map((name) => `--${name} is for no field`),
    ...(isHelped ? [] : ['an option or argument has no help']),
  ];
};

const generated = all(await createProgram()).filter((one) => fieldsOf(one) !== undefined);

describe('a command that is made of a schema', () => {
  it.each(generated.map((one) => [`${one.parent?.name()} ${one.name()}`, one] as const))(
    '%s: each option is a field of the input, and each field has words',
    (_name, one) => {
      expect(errorsOf(one)).toEqual([]);
    },
  );

  it('is most commands that call a procedure', () => {
    expect(generated.length).toBeGreaterThan(50);
  });

  it('fails where a field has no words, or an option is for no field', () => {
    const schema = z.strictObject({ name: z.string(), label: z.string().optional() });
    const made = withFields(command('made', 'Made'), schema, { name: 'its name' }, async () => undefined);
    expect(errorsOf(made.option('--more', 'more than the fields'))).toEqual([
      'label has no words',
      '--more is for no field',
    ]);
  });
});

const schema = z.strictObject({
  name: z.string(),
  webhookUrl: z.string().optional(),
  count: z.int().min(1).max(20).default(5),
  force: z.boolean().default(false),
  level: z.enum(['low', 'high']).optional(),
  limitWei: z.string().nullable(),
  isOn: z.boolean(),
  secret: z.string().optional(),
  hidden: z.string().optional(),
});

const words: Words<z.input<typeof schema>> = {
  name: '<id>  name of it',
  webhookUrl: 'URL of it',
  count: 'how many',
  force: 'although',
  level: '--at <level>  how much',
  limitWei: { words: 'most of it', none: 'off', parse: (text) => `${text}0` },
  isOn: '<state>  whether it is on',
  secret: { words: '--secret-file <file>  file with it', send: (file: string) => `content of ${file}` },
  hidden: null,
};

/** The input that a command sends for these arguments. */
const sent = async (...args: string[]): Promise<unknown> => {
  let input: unknown;
  const made = withFields(command('made', 'Made'), schema, words, async (read) => {
    input = read;
  });
  const quiet = { writeErr: () => undefined };
  await made.exitOverride().configureOutput(quiet).parseAsync(args, { from: 'user' });
  return input;
};

describe('options of fields', () => {
  it('are named after the fields, and show what schema and words say', () => {
    const made = withFields(command('made', 'Made'), schema, words, async () => undefined);
    const shown = made.options.filter((option) => !common.has(option.attributeName()));
    expect(shown.map(({ flags, mandatory, defaultValue }) => [flags, mandatory, defaultValue as unknown])).toEqual([
      ['--webhook-url <webhook-url>', false, undefined],
      ['--count <n>', false, 5],
      ['--force', false, undefined],
      ['--at <level>', false, undefined],
      ['--limit-wei <limit-wei>', false, undefined],
      ['--secret-file <file>', false, undefined],
    ]);
    expect(made.registeredArguments.map((one) => [one.name(), one.required])).toEqual([
      ['id', true],
      ['state', true],
    ]);
  });

  it('send what is typed, and null for what must be sent and is not given', async () => {
    expect(await sent('a', 'on')).toEqual({ name: 'a', count: 5, limitWei: null, isOn: true });
    const given = ['--webhook-url', 'http://x', '--count', '20', '--force', '--at', 'high', '--limit-wei', '7'];
    expect(await sent('a', 'off', ...given, '--secret-file', 'f')).toEqual({
      name: 'a',
      webhookUrl: 'http://x',
      count: 20,
      force: true,
      level: 'high',
      limitWei: '70',
      isOn: false,
      secret: 'content of f',
    });
    expect(await sent('a', 'on', '--limit-wei', 'off')).toMatchObject({ limitWei: null });
  });

  it.each([
    ['a number beyond its bounds', ['a', 'on', '--count', '21'], /Use a whole number from 1 to 20\./],
    ['a choice there is not', ['a', 'on', '--at', 'middle'], /Allowed choices are low, high\./],
    ['a state there is not', ['a', 'maybe'], /Allowed choices are on, off\./],
    ['a missing argument', ['a'], /missing required argument 'state'/],
  ])('refuse %s', async (_what, args, message) => {
    await expect(sent(...args)).rejects.toThrow(message);
  });
});
