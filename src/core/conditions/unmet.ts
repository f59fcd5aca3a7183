import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { children, methodOf, nodesIn, pathText, pathsIn, textOf } from './syntax-tree.ts';
import { type ConditionValues, conditionEnvironment } from './vocabulary.ts';

/** A value that a condition reads, with the expression that names it. */
export interface NamedValue {
  readonly text: string;
  readonly value: string;
}

/** The part of a condition that an operation does not meet. */
export interface Unmet {
  /** The untrue parts of the condition, joined as one expression. */
  readonly text: string;
  /**
   * The values that these parts name. For a loop, the values in the first item for which the loop's test is not true.
   */
  readonly met: readonly NamedValue[];
}

const MAX_SHOWN = 5;
const LONGEST_SHOWN = 80;

const shown = (value: unknown): string => {
  const text = value instanceof Date ? value.toISOString() : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

const member = (of: unknown, key: unknown): unknown => {
  if (of instanceof Map) return of.get(key) as unknown;
  if (Array.isArray(of)) return typeof key === 'bigint' ? (of[Number(key)] as unknown) : undefined;
  const isThere = typeof of === 'object' && of !== null && typeof key === 'string' && Object.hasOwn(of, key);
  return isThere ? (of as Readonly<Record<string, unknown>>)[key] : undefined;
};

/**
 * The value at a path; undefined if it is missing. Does not use CEL, because the exception that CEL throws for a
 * missing value is slow.
 */
const valueAt = (path: ASTNode, values: ConditionValues): unknown => {
  if (path.op === 'id') return member(values, path.args);
  const [of, key] = path.args as [ASTNode, string | ASTNode];
  return member(valueAt(of, values), typeof key === 'string' ? key : key.args);
};

interface Path {
  readonly text: string;
  readonly node: ASTNode;
}

/** Paths with their texts, without duplicates. */
const namedPaths = (nodes: readonly ASTNode[], source: string): readonly Path[] => {
  const byText = new Map(nodes.map((node) => [pathText(node, source), node]));
  return [...byText].map(([text, node]) => ({ text, node }));
};

const readPaths = (paths: readonly Path[], values: ConditionValues): NamedValue[] =>
  paths.flatMap(({ text, node }) => {
    const value = valueAt(node, values);
    return value === undefined ? [] : [{ text, value: shown(value) }];
  });

/** Reads the values that an expression names. Omits missing values. */
export const valuesIn = (ast: ASTNode, source: string): ((values: ConditionValues) => NamedValue[]) => {
  const paths = namedPaths(pathsIn(ast), source).slice(0, MAX_SHOWN);
  return (values) => readPaths(paths, values);
};

/** Finds the path of a missing value whose last part is `key`. */
export const missingIn = (
  ast: ASTNode,
  source: string,
): ((values: ConditionValues, key: string) => string | undefined) => {
  const paths = namedPaths(pathsIn(ast), source);
  return (values, key) =>
    paths.find(({ text, node }) => /(\w+)\W*$/.exec(text)?.[1] === key && valueAt(node, values) === undefined)?.text;
};

/**
 * Returns a function that evaluates a text, and returns undefined if that fails. The result only explains a decision,
 * and never changes it.
 */
const reader = (text: string): ((values: ConditionValues) => unknown) => {
  let run: ParseResult | undefined;
  return (values) => {
    try {
      run ??= conditionEnvironment.parse(text);
      return run(values) as unknown;
    } catch {
      return undefined;
    }
  };
};

const beginsWith = (node: ASTNode, name: string): boolean =>
  node.op === 'id' ? node.args === name : beginsWith((node.args as [ASTNode])[0], name);

/**
 * For `calls.all(c, test)`, reads the values that `test` names in the first call for which it is false. Returns nothing
 * if the list is not a plain variable.
 */
const valuesOfLoop = (node: ASTNode, source: string): ((values: ConditionValues) => NamedValue[]) => {
  const [, list, body] = node.args as [string, ASTNode, unknown];
  const [item, test] = nodesIn(body);
  if (list.op !== 'id' || item?.op !== 'id' || test === undefined) return () => [];
  const [all, one] = [list.args, item.args];
  const verdicts = reader(`${all}.map(${one}, ${textOf(test, source)})`);
  const inItem = pathsIn(test).filter((path) => beginsWith(path, one));
  const paths = namedPaths(inItem, source).slice(0, MAX_SHOWN);
  return (values) => {
    const index = (verdicts(values) as boolean[] | undefined)?.indexOf(false) ?? -1;
    if (index === -1) return [];
    const met = readPaths(paths, { [one]: (values[all] as unknown[])[index] });
    return met.map(({ text, value }) => ({ text: `${all}[${index}]${text.slice(one.length)}`, value }));
  };
};

const partsOf = (node: ASTNode): ASTNode[] => (node.op === '&&' ? children(node).flatMap(partsOf) : [node]);

/** Finds the untrue parts of an expression, split at `&&`. If no part is untrue, returns the whole expression. */
export const unmetIn = (ast: ASTNode, source: string): ((values: ConditionValues) => Unmet) => {
  const parts = partsOf(ast).map((node) => {
    const text = textOf(node, source);
    return {
      text: node.op === '||' || node.op === '?:' ? `(${text})` : text,
      holds: reader(text),
      met: methodOf(node) === 'all' ? valuesOfLoop(node, source) : valuesIn(node, source),
    };
  });
  return (values) => {
    const unmet = parts.filter(({ holds }) => holds(values) !== true);
    const text = unmet.map((part) => part.text).join(' && ');
    return { text: text === '' ? source : text, met: unmet.flatMap(({ met }) => met(values)) };
  };
};
