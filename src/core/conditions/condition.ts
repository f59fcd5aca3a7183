import { type ASTNode, EvaluationError, type ParseResult } from '@marcbachmann/cel-js';
import { parserWords } from './parser-words.ts';
import { type Reading, readingsIn } from './readings.ts';
import { children, isLoop, methodOf, nodesIn, textOf } from './syntax-tree.ts';
import { type NamedValue, type Unmet, missingIn, unmetIn, valuesIn } from './unmet.ts';
import { type ConditionValues, conditionEnvironment } from './vocabulary.ts';

export type Answer =
  | { readonly holds: boolean }
  /** Why the condition could not be evaluated. */
  | { readonly failure: string };

/** A parsed condition. */
export interface Condition {
  readonly evaluate: (values: ConditionValues) => Answer;
  /** The maximum number of steps of {@link evaluate} with these values. */
  readonly steps: (values: ConditionValues) => number;
  /** The values that the condition names, each with its expression. Omits the lists of loops. */
  readonly met: (values: ConditionValues) => NamedValue[];
  /**
   * Like `met`, but with more detail for the author of the condition: includes the lists of its loops, and missing
   * values.
   */
  readonly readings: (values: ConditionValues) => Reading[];
  /** The parts of the condition that are not true, if the condition is not true. */
  readonly unmet: (values: ConditionValues) => Unmet;
  /** Whether the condition reads the operation's cost in dollars, for which the price of the coin is needed. */
  readonly needsPrice: boolean;
  /** The expression of a missing value whose last part is this key. Omits the lists of loops. */
  readonly missing: (values: ConditionValues, key: string) => string | undefined;
}

/** Why a text is not a valid condition, and the position of the error. */
export interface ConditionError {
  readonly message: string;
  /** Index of the first wrong character, from 0. */
  readonly at: number;
  /** Index after the last wrong character; equal to `at` if something is missing there. */
  readonly end: number;
}

/** Methods that conditions cannot use: their cost has no bound here, or they need a time zone. */
export const REFUSED: Readonly<Record<string, string>> = {
  matches: 'matches() is not available: use ==, in, startsWith, endsWith or contains',
  split: 'split() is not available: use startsWith, endsWith or contains',
  join: 'join() is not available: compare the items of the list',
  bind: 'cel.bind() is not available: write the expression in its place',
  getDayOfYear: 'getDayOfYear() is not available',
};

const MAX_NESTED_LOOPS = 2;

/** Why a condition that reads `calls` cannot be evaluated. */
export const CALLS_UNREADABLE = 'the calls of the operation cannot be decoded';

export const TOO_MANY_STEPS = 'it takes too many steps for an operation of this size';

/** The maximum number of steps of one evaluation. A step takes about 100 ns. */
const MAX_STEPS = 200_000;

/** This many characters of a text count as one step. */
const CHARACTERS_PER_STEP = 1_000;

/** The factor by which concatenation can make lists and texts longer than their parts. */
const growthIn = (node: ASTNode): number =>
  children(node).reduce((sum, child) => sum + growthIn(child) - 1, node.op === '+' ? 2 : 1);

const countNodes = (node: ASTNode): number => children(node).reduce((sum, child) => sum + countNodes(child), 1);

const nested = (node: ASTNode, counts: (node: ASTNode) => boolean): number => {
  const below = Math.max(0, ...children(node).map((child) => nested(child, counts)));
  return counts(node) ? below + 1 : below;
};

/** True for a node that is not a loop, but reads every item of a list: `in`, and comparisons of lists. */
const readsEveryItem = (node: ASTNode): boolean => {
  if (!['in', '==', '!='].includes(node.op)) return false;
  const sides = children(node);
  return node.op === 'in' ? sides[1]?.op !== 'list' : sides.every(({ op }) => op !== 'value');
};

const names = (node: ASTNode, name: string): boolean =>
  (node.op === 'id' && node.args === name) || children(node).some((child) => names(child, name));

const PRICED = 'maxCostUsd';

/** True for a node that may read `op.maxCostUsd`, also through a loop variable. */
const namesPriced = (node: ASTNode): boolean =>
  (node.op === '.' && node.args[1] === PRICED) ||
  (node.op === 'value' && node.args === PRICED) ||
  children(node).some(namesPriced);

const UTC_TIME = /(?:Z|[+-]\d{2}:\d{2})$/;

/** Why a node is refused because its value would depend on the machine's time zone; undefined if the value does not. */
const localTime = (node: ASTNode): string | undefined => {
  const [name, ...args] = node.op === 'rcall' || node.op === 'call' ? (node.args as [string, ...unknown[]]) : [''];
  const given = nodesIn(args.at(-1));
  if (node.op === 'rcall' && name.startsWith('get') && given.length > 0)
    return 'Time zones are not available: times are in UTC';
  const [text] = given;
  const isUtc = text?.op === 'value' && typeof text.args === 'string' && UTC_TIME.test(text.args);
  return node.op === 'call' && name === 'timestamp' && !isUtc
    ? 'timestamp() takes a text such as "2026-01-31T14:30:00Z"'
    : undefined;
};

const WITHOUT_FIELDS: readonly (string | undefined)[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

/** Why a field is refused that a time or a duration does not have, because the CEL library accepts every such field. */
const fieldOfTime = (node: ASTNode, source: string): string | undefined => {
  const [of] = node.op === '.' || node.op === '[]' ? children(node) : [];
  return of !== undefined && WITHOUT_FIELDS.includes(conditionEnvironment.check(textOf(of, source)).type)
    ? 'Times and durations have no fields: use methods such as getHours()'
    : undefined;
};

const refusedIn = (node: ASTNode, source: string): ConditionError | undefined => {
  const refused = REFUSED[methodOf(node) ?? ''] ?? localTime(node) ?? fieldOfTime(node, source);
  if (refused !== undefined) return { message: refused, at: node.range.start, end: node.range.end };
  for (const child of children(node)) {
    const error = refusedIn(child, source);
    if (error !== undefined) return error;
  }
  return undefined;
};

/** The lengths of the longest list and the longest text among the values. */
const sizesOf = (value: unknown): { list: number; text: number } => {
  if (typeof value === 'string') return { list: 0, text: value.length };
  if (typeof value !== 'object' || value === null || value instanceof Date) return { list: 0, text: 0 };
  const parts: unknown[] = value instanceof Map ? [...value.values()] : Object.values(value);
  const sizes = parts.map(sizesOf);
  return {
    list: sizes.reduce(
      (most, { list }) => Math.max(most, list),
      Array.isArray(value) || value instanceof Map ? parts.length : 0,
    ),
    text: sizes.reduce((most, { text }) => Math.max(most, text), 0),
  };
};

const sizes = new WeakMap<ConditionValues, { list: number; text: number }>();

/** Properties of an expression from which the maximum number of its steps is computed. */
interface Measures {
  readonly nodes: number;
  /** How deeply loops, and other nodes that read whole lists, are nested in the expression. */
  readonly loops: number;
  readonly growth: number;
}

/** The maximum number of steps of an expression with these values. Does not depend on the machine. */
const stepsOver = (values: ConditionValues, { nodes, loops, growth }: Measures): number => {
  const known = sizes.get(values) ?? sizesOf(values);
  sizes.set(values, known);
  const [list, text] = [Math.max(1, known.list) * growth, known.text * growth];
  return nodes * list ** loops * Math.max(1, Math.ceil(text / CHARACTERS_PER_STEP));
};

/** Lower-cases addresses in quotes, so that comparisons ignore their case. */
const withLowerAddresses = (text: string): string =>
  text.replace(
    /(["'])(0x[0-9a-fA-F]{40})\1/g,
    (_, quote: string, address: string) => quote + address.toLowerCase() + quote,
  );

const LONGEST_FAILURE = 200;

/**
 * Why an evaluation failed. Only known errors are quoted: other messages may contain client data, which is not stored,
 * and differ between runtimes.
 */
const failureOf = (error: unknown): string =>
  error instanceof EvaluationError ? error.summary.slice(0, LONGEST_FAILURE) : 'it meets a value that it cannot use';

const evaluateWith = (run: ParseResult, values: ConditionValues): Answer => {
  try {
    const value: unknown = run(values);
    return typeof value === 'boolean' ? { holds: value } : { failure: 'it is neither true nor false' };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};

const compile = (text: string): Condition | ConditionError => {
  const source = withLowerAddresses(text);
  const whole = { start: 0, end: source.length };
  const checked = conditionEnvironment.check(source);
  if (!checked.valid) {
    const { start, end } = checked.error?.range ?? whole;
    return { message: checked.error?.summary ?? 'is no expression', at: start, end };
  }
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    return { message: `must be true or false, not ${checked.type}`, at: whole.start, end: whole.end };
  const run = conditionEnvironment.parse(source);
  const { ast } = run;
  const refused = refusedIn(ast, source);
  if (refused !== undefined) return refused;
  const measures: Measures = {
    nodes: countNodes(ast),
    loops: nested(ast, (node) => isLoop(node) || readsEveryItem(node)),
    growth: growthIn(ast),
  };
  const needsCalls = names(ast, 'calls');
  if (nested(ast, isLoop) > MAX_NESTED_LOOPS)
    return { message: 'loops may not be nested more than twice', at: whole.start, end: whole.end };
  return {
    steps: (values) => Math.min(MAX_STEPS, stepsOver(values, measures)),
    evaluate(values) {
      if (needsCalls && values['calls'] === undefined) return { failure: CALLS_UNREADABLE };
      if (stepsOver(values, measures) > MAX_STEPS) return { failure: TOO_MANY_STEPS };
      return evaluateWith(run, values);
    },
    met: valuesIn(ast, source),
    readings: (values) => readingsIn(ast, source, values),
    unmet: unmetIn(ast, source),
    needsPrice: namesPriced(ast),
    missing: missingIn(ast, source),
  };
};

const compiled = new Map<string, Condition | ConditionError>();
const MAX_COMPILED = 10_000;

/** Parses a condition, or returns its error. Each text is parsed once. */
const conditionOf = (text: string): Condition | ConditionError => {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const read = compile(text);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(text, read);
  return read;
};

/** Why a text is not a valid condition; undefined if it is one. */
export const conditionError = (text: string): ConditionError | undefined => {
  const read = conditionOf(text);
  return 'message' in read ? { ...read, message: parserWords(read.message) } : undefined;
};

/** Prefix of the failure of a condition whose text is invalid. */
export const NO_CONDITION = 'its expression is not valid';

/**
 * Stands in for a stored expression that this version no longer accepts. Decisions store its failure, and are replayed
 * with it, so that the parser's message stays as it is.
 */
const unreadable = (text: string, { message }: ConditionError): Condition => ({
  steps: () => 0,
  evaluate: () => ({ failure: `${NO_CONDITION}: ${message}` }),
  met: () => [],
  readings: () => [],
  unmet: () => ({ text, met: [] }),
  needsPrice: false,
  missing: () => undefined,
});

/** Parses a stored condition. If this version does not accept its text, every evaluation of the condition fails. */
export const readCondition = (text: string): Condition => {
  const read = conditionOf(text);
  return 'message' in read ? unreadable(text, read) : read;
};
