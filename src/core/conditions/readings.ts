import type { ASTNode } from '@marcbachmann/cel-js';
import { children, isLoop, isPath, methodOf, nodesIn, pathText } from './syntax-tree.ts';
import { conditionEnvironment } from './vocabulary.ts';

export interface Reading {
  /** The expression that names the value, e.g. `calls[0].args.amount`. */
  readonly text: string;
  /** The value as text, cut off if it is long; null if it is missing. */
  readonly value: string | null;
}

type Values = Readonly<Record<string, unknown>>;

/** What loop variables stand for, e.g. `calls[0]` for `c`. */
type Variables = ReadonlyMap<string, string>;

const MAX_READINGS = 12;
/** The maximum number of items that are shown of a loop's list. */
const MAX_ITEMS = 4;
const LONGEST_VALUE = 80;

const clipped = (text: string): string =>
  text.length > LONGEST_VALUE ? `${JSON.stringify(text.slice(0, LONGEST_VALUE))}…` : JSON.stringify(text);

const shown = (value: unknown): string => {
  if (typeof value === 'string') return clipped(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Map) return `a map of ${value.size}`;
  return String(value).slice(0, LONGEST_VALUE);
};

/** Evaluates an expression without loops. @throws EvaluationError if it has no value */
const valueOf = (text: string, values: Values): unknown => conditionEnvironment.parse(text)(values);

/** True for a call whose only input is a path: `size(calls)`, `time.getDayOfWeek()`. */
const isCountOrMethod = (node: ASTNode): boolean => {
  if (node.op === 'call') return node.args[0] === 'size' && nodesIn(node.args[1]).every(isPath);
  return node.op === 'rcall' && isPath(node.args[1]) && node.args[2].length === 0;
};

/**
 * The values that an expression reads, in order of appearance. For a loop, the values come from the first items of its
 * list.
 * @param source the text that was parsed
 */
export const readingsIn = (ast: ASTNode, source: string, values: Values): Reading[] => {
  const readings = new Map<string, Reading>();

  const named = (path: ASTNode, variables: Variables): string =>
    pathText(path, source, (name) => variables.get(name) ?? name);

  const read = (text: string): void => {
    if (readings.has(text) || readings.size >= MAX_READINGS) return;
    try {
      readings.set(text, { text, value: shown(valueOf(text, values)) });
    } catch {
      readings.set(text, { text, value: null });
    }
  };

  const itemsOf = (list: string): string[] => {
    try {
      const value = valueOf(list, values);
      const count = Array.isArray(value) ? Math.min(value.length, MAX_ITEMS) : 0;
      return Array.from({ length: count }, (_, index) => `${list}[${index}]`);
    } catch {
      return [];
    }
  };

  const visitLoop = (loop: ASTNode, variables: Variables): void => {
    const [list, variable, ...body] = children(loop);
    if (list === undefined || variable === undefined) return;
    if (!isPath(list)) visit(list, variables);
    const items = isPath(list) ? itemsOf(named(list, variables)) : [];
    for (const item of items) {
      const inside = new Map([...variables, [source.slice(variable.range.start, variable.range.end), item]]);
      for (const part of body) visit(part, inside);
    }
  };

  const visitPath = (path: ASTNode, variables: Variables): void => {
    // A bare name such as `op` would show a whole object. Only `time` and loop variables are single values.
    const name = pathText(path, source);
    if (path.op !== 'id' || name === 'time' || variables.has(name)) read(named(path, variables));
  };

  const visit = (node: ASTNode, variables: Variables): void => {
    if (isPath(node)) visitPath(node, variables);
    else if (isCountOrMethod(node)) {
      const [path] = children(node);
      if (path === undefined) return;
      const text = named(path, variables);
      read(node.op === 'rcall' ? `${text}.${methodOf(node) ?? ''}()` : `size(${text})`);
    } else if (isLoop(node)) visitLoop(node, variables);
    else for (const part of children(node)) visit(part, variables);
  };

  visit(ast, new Map());
  return [...readings.values()];
};
