import { Argument, type Command, Option } from 'commander';
import { z } from 'zod';
import {
  type Caller,
  type ProcedureInput,
  type ProcedureName,
  type ProcedureOutput,
  procedures,
} from '../api/index.ts';
import { MAX_WHOLE_NUMBER, type Shown, command, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';
import type { Printable } from './human-text.ts';
import { withIds } from './names.ts';

/** A field whose sent value differs from the text that was typed. */
interface FieldText<Value> {
  readonly words: string;
  /** The text that stands for null. */
  readonly none?: string;
  /** Help text of the option `--no-…`, for a field that is true by default. */
  readonly no?: string;
  readonly byDefault?: unknown;
  /** True if the command requires the field although the procedure does not. */
  readonly required?: true;
  /** Reads the typed text. @throws InvalidArgumentError */
  readonly parse?: (text: string) => unknown;
  /** Converts the parsed value to the value to send, for example a file name to the file's content. */
  readonly send?: (typed: never) => Value | Promise<Value>;
}

/** A field whose value comes from several options, or from an option that every command has. */
interface Together<Value> {
  /** Adds the options that are only for this field. */
  readonly add?: (command: Command) => unknown;
  /** The value that results from all options; undefined if the field is omitted. */
  readonly read: (options: never) => Value | Promise<Value> | undefined;
}

/**
 * How the operator sets a field, as shown by `--help`: `--dapp <id> paymasterId of the DApp` for an option, or `<id> id
 * of the key` for an argument. If only help text is given, the option is derived from the field's name and schema.
 * Null: the command does not offer the field.
 */
type Word<Value> = string | FieldText<Value> | Together<Value> | null;

/** How the operator sets each field of an input, in the order of the help. */
export type Words<Input> = { readonly [Field in keyof Input]-?: Word<Input[Field]> };

/** Reads a field from the options and arguments of a command line. */
type Read = (options: Readonly<Record<string, unknown>>, given: readonly unknown[]) => unknown;

/** The schema without its optional, nullable and default wrappers. */
const bare = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema;

/** The flags and help of a field. Flags derived from the field are like `--label <label>`, `--limit <n>`, `--force`. */
const spelled = (field: string, schema: unknown, words: string): readonly [flags: string, help: string] => {
  const [flags = '', help] = words.split('  ', 2);
  if (help !== undefined) return [flags, help];
  const name = field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (schema instanceof z.ZodBoolean) return [`--${name}`, words];
  return [`--${name} <${schema instanceof z.ZodNumber ? 'n' : name}>`, words];
};

const parserOf = ({ parse, none }: FieldText<unknown>, schema: unknown): ((text: string) => unknown) | undefined => {
  const { minValue, maxValue } = schema instanceof z.ZodNumber ? schema : {};
  const bounded = wholeNumber(Math.max(minValue ?? 0, 0), Math.min(maxValue ?? MAX_WHOLE_NUMBER, MAX_WHOLE_NUMBER));
  const read = parse ?? (schema instanceof z.ZodNumber ? bounded : undefined);
  return read && ((text) => (text === none ? text : read(text)));
};

const choicesOf = (schema: unknown): string[] | undefined => {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  return schema instanceof z.ZodBoolean ? ['on', 'off'] : undefined;
};

const addTyped = (to: Command, field: string, schema: z.ZodType, word: FieldText<unknown>): Read => {
  const accepts = (value: unknown): boolean => schema.safeParse(value).success;
  const plain = bare(schema);
  const [flags, help] = spelled(field, plain, word.words);
  const made = flags.startsWith('-') ? new Option(flags, help) : new Argument(flags, help);
  const isFlag = made instanceof Option && made.isBoolean();
  const [parse, choices] = [parserOf(word, plain), isFlag ? undefined : choicesOf(plain)];
  if (parse !== undefined) made.argParser(parse);
  else if (choices !== undefined) made.choices(choices);
  const byDefault = word.byDefault ?? (plain instanceof z.ZodNumber ? schema.safeParse(undefined).data : undefined);
  if (byDefault !== undefined) made.default(byDefault);
  const sent = (typed: unknown): unknown => {
    if (typed === undefined) return accepts(undefined) ? undefined : null;
    if (typed === word.none) return null;
    if (word.send !== undefined) return word.send(typed as never);
    return !isFlag && plain instanceof z.ZodBoolean ? typed === 'on' : typed;
  };
  if (made instanceof Argument) {
    const index = to.addArgument(made).registeredArguments.length - 1;
    return (_options, given) => sent(given[index]);
  }
  to.addOption(
    made.makeOptionMandatory(
      word.required ?? !(isFlag || byDefault !== undefined || accepts(undefined) || accepts(null)),
    ),
  );
  if (word.no !== undefined) to.option(`--no-${made.name()}`, word.no);
  return (options) => sent(options[made.attributeName()]);
};

const addField = (to: Command, field: string, schema: z.ZodType, word: Exclude<Word<unknown>, null>): Read => {
  if (typeof word === 'string') return addTyped(to, field, schema, { words: word });
  if ('words' in word) return addTyped(to, field, schema, word);
  word.add?.(to);
  return (options) => word.read(options as never);
};

/** The fields of a command. */
export interface Fields {
  readonly schema: z.ZodObject;
  readonly words: Readonly<Record<string, Word<unknown>>>;
  /** The field of each option, by the name that Commander gives the option. */
  readonly fieldOf: ReadonlyMap<string, string>;
  /** True if options that are not fields may be added. */
  readonly hasMore: boolean;
}

type Run<Input, Options = DeskOptions> = (
  input: Input,
  options: Options,
  given: readonly (string | undefined)[],
) => Promise<void>;

/** Adds the fields of an object to a command as its options and arguments. */
export const withFields = <Input extends object, Options extends object = DeskOptions>(
  to: Command,
  schema: z.ZodObject,
  words: Words<Input>,
  run: Run<Input, Options>,
  hasMore = false,
): Command & { readonly fields: Fields } => {
  const fieldOf = new Map<string, string>();
  const all = words as Record<string, Word<unknown>>;
  const readers = Object.entries(all).flatMap(([field, word]) => {
    if (word === null) return [];
    const before = to.options.length;
    const read = addField(to, field, schema.shape[field] as z.ZodType, word);
    for (const added of to.options.slice(before)) fieldOf.set(added.attributeName(), field);
    return [[field, read] as const];
  });
  to.action(async () => {
    // Read before the first `await`, because the next run of this command in the same process replaces both.
    const [options, given] = [to.opts(), to.processedArgs as (string | undefined)[]];
    const input: Record<string, unknown> = {};
    for (const [field, read] of readers) {
      const value = await read(options, given);
      if (value !== undefined) input[field] = value;
    }
    await run(input as Input, options as Options, given);
  });
  return Object.assign(to, { fields: { schema, words: all, fieldOf, hasMore } });
};

const inputOf = (procedure: ProcedureName): z.ZodObject => procedures[procedure].input as z.ZodObject;

/** The part of an answer to show. */
type Show<Name extends ProcedureName> = (
  answer: ProcedureOutput<Name>,
  run: { readonly input: ProcedureInput<Name>; readonly call: Caller; readonly json: boolean },
) => Shown | Promise<Shown>;

/** A command that calls a procedure and shows its answer. If the procedure has no answer, `show` is required. */
export const calling = <Name extends ProcedureName>(
  name: string,
  summary: string,
  procedure: Name,
  words: Words<ProcedureInput<Name>>,
  ...[show]: ProcedureOutput<Name> extends Printable ? [show?: Show<Name>] : [show: Show<Name>]
): Command =>
  withFields(command(name, summary), inputOf(procedure), words, (typed, options) =>
    printFromDesk(options, async (call) => {
      const input = await withIds(call, typed, procedure);
      const answer = await call(procedure, input);
      return show === undefined ? (answer as Printable) : show(answer, { input, call, json: options.json === true });
    }),
  );

/**
 * A command whose fields are the input of a procedure, but that does more than call it. Further options may be added.
 */
export const taking = <Name extends ProcedureName, Options extends object = object>(
  name: string,
  summary: string,
  procedure: Name,
  words: Words<ProcedureInput<Name>>,
  run: Run<ProcedureInput<Name>, DeskOptions & Options>,
): Command => withFields(command(name, summary), inputOf(procedure), words, run, true);

/** Prints the answer as JSON with `--json`, and otherwise the text that `words` makes of it. */
export const forPeople =
  <Answer extends Printable>(words: (answer: Answer) => Shown | Promise<Shown>) =>
  (answer: Answer, { json }: { readonly json: boolean }): Shown | Promise<Shown> =>
    json ? answer : words(answer);
