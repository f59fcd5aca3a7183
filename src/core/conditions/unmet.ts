import { type ASTNode, serialize } from '@marcbachmann/cel-js';
import { children, methodOf, nodesIn, pathsIn } from './syntax-tree.ts';
import { type ConditionValues, conditionEnvironment } from './vocabulary.ts';

/** A value that a condition names, with the text that names it. */
export interface NamedValue {
  readonly text: string;
  readonly value: string;
}

/** What of a condition an operation does not meet. */
export interface Unmet {
  /** The parts of it that are not true, as an expression. */
  readonly text: string;
  /** The values that these parts name. In a loop: those of the first item that does not meet it. */
  readonly met: readonly NamedValue[];
}

const MOST_SHOWN = 5;
const LONGEST_SHOWN = 80;

const shown = (value: unknown): string => {
  const text = value instanceof Date ? value.toISOString() : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

/** Reads a value; undefined where it is not there. */
const reader = (text: string): ((values: ConditionValues) => unknown) => {
  const run = conditionEnvironment.parse(text);
  return (values) => {
    try {
      return run(values) as unknown;
    } catch {
      return undefined;
    }
  };
};

const namedReader = (text: string): ((values: ConditionValues) => NamedValue[]) => {
  const read = reader(text);
  return (values) => {
    const value = read(values);
    return value === undefined ? [] : [{ text, value: shown(value) }];
  };
};

/** Reads the values of the expressions given, as far as they are there. */
export const valuesOf = (texts: readonly string[]): ((values: ConditionValues) => NamedValue[]) => {
  const readers = [...new Set(texts)].slice(0, MOST_SHOWN).map(namedReader);
  return (values) => readers.flatMap((read) => read(values));
};

/** Finds the value that ends in a key and is not there. */
export const firstMissing = (
  texts: readonly string[],
): ((values: ConditionValues, key: string) => string | undefined) => {
  const readers = [...new Set(texts)].map((text) => ({ text, read: reader(text) }));
  return (values, key) =>
    readers.find(({ text, read }) => /(\w+)\W*$/.exec(text)?.[1] === key && read(values) === undefined)?.text;
};

const textsOf = (nodes: readonly ASTNode[]): string[] => nodes.map((node) => serialize(node));

/** Reads what `calls.all(c, test)` names of the first call that fails the test. Other lists are too long to be shown. */
const valuesOfLoop = (node: ASTNode): ((values: ConditionValues) => NamedValue[]) => {
  const [, list, body] = node.args as [string, ASTNode, unknown];
  const [item, test] = nodesIn(body);
  if (list.op !== 'id' || item?.op !== 'id' || test === undefined) return () => [];
  const [all, one] = [list.args, item.args];
  const verdicts = reader(`${all}.map(${one}, ${serialize(test)})`);
  const paths = [...new Set(textsOf(pathsIn(test)))].filter((path) => /^\w+/.exec(path)?.[0] === one);
  const readers = paths.slice(0, MOST_SHOWN).map((path) => ({
    path: path.slice(one.length),
    // Of one item, so that it takes no longer where there are many.
    read: reader(`${all}.map(${one}, ${path})[0]`),
  }));
  return (values) => {
    const index = (verdicts(values) as boolean[] | undefined)?.indexOf(false) ?? -1;
    if (index === -1) return [];
    const alone = { ...values, [all]: [(values[all] as unknown[])[index]] };
    return readers.flatMap(({ path, read }) => {
      const value = read(alone);
      return value === undefined ? [] : [{ text: `${all}[${index}]${path}`, value: shown(value) }];
    });
  };
};

const partsOf = (node: ASTNode): ASTNode[] => (node.op === '&&' ? children(node).flatMap(partsOf) : [node]);

/** Looks for what is not true of an expression: of its parts between `&&`, each by itself. */
export const unmetIn = (ast: ASTNode): ((values: ConditionValues) => Unmet) => {
  const parts = partsOf(ast).map((node) => ({
    text: node.op === '||' || node.op === '?:' ? `(${serialize(node)})` : serialize(node),
    holds: reader(serialize(node)),
    met: methodOf(node) === 'all' ? valuesOfLoop(node) : valuesOf(textsOf(pathsIn(node))),
  }));
  return (values) => {
    const unmet = parts.filter(({ holds }) => holds(values) !== true);
    return { text: unmet.map(({ text }) => text).join(' && '), met: unmet.flatMap(({ met }) => met(values)) };
  };
};
