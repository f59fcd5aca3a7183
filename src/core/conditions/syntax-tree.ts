import type { ASTNode } from '@marcbachmann/cel-js';

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** The nodes in an argument: the argument itself, or the items of a list. */
export const nodesIn = (value: unknown): ASTNode[] => {
  if (isNode(value)) return [value];
  return Array.isArray(value) ? value.flatMap(nodesIn) : [];
};

/** The direct children of a node. */
export const children = (node: ASTNode): ASTNode[] => nodesIn(node.args);

/** The method that a node calls, such as `all` in `calls.all(…)`. */
export const methodOf = ({ op, args }: ASTNode): string | undefined =>
  op === 'rcall' ? (args as [string, ...unknown[]])[0] : undefined;

/** True for the name of a loop method, such as `all`, which is evaluated for each item of a list. */
export const isLoopName = (name: string): boolean => LOOPS.has(name);

export const isLoop = (node: ASTNode): boolean => isLoopName(methodOf(node) ?? '');

/** True for a path to a value, such as `op.sender` or `context.plan["tier"]`. */
export const isPath = (node: ASTNode): boolean => {
  if (node.op === 'id') return true;
  if (node.op === '.') return isPath(node.args[0]);
  if (node.op !== '[]') return false;
  const [of, index] = node.args;
  return isPath(of) && index.op === 'value';
};

/** The paths to single values that an expression names. Omits loops and their lists. */
export const pathsIn = (node: ASTNode): ASTNode[] => {
  if (isPath(node)) return node.op === 'id' && node.args !== 'time' ? [] : [node];
  return isLoop(node) ? [] : children(node).flatMap(pathsIn);
};

const literalsIn = (node: ASTNode): ASTNode[] => (node.op === 'value' ? [node] : children(node).flatMap(literalsIn));

/** The parentheses in the text of a node, except those in literals and comments. */
const parenthesesIn = (node: ASTNode, source: string): string => {
  const { start, end } = node.range;
  let text = source.slice(start, end);
  for (const { range } of literalsIn(node)) {
    const blank = ' '.repeat(range.end - range.start);
    text = text.slice(0, range.start - start) + blank + text.slice(range.end - start);
  }
  return text.replace(/\/\/[^\n]*/g, '').replace(/[^()]/g, '');
};

/**
 * The text of a node as it was written, with balanced parentheses so that it can be parsed: the range of a node may
 * omit a parenthesis at its start or end and still contain the other one of the pair.
 */
export const textOf = (node: ASTNode, source: string): string => {
  let [unopened, unclosed] = [0, 0];
  for (const parenthesis of parenthesesIn(node, source)) {
    if (parenthesis === '(') unclosed += 1;
    else if (unclosed > 0) unclosed -= 1;
    else unopened += 1;
  }
  return '('.repeat(unopened) + source.slice(node.range.start, node.range.end) + ')'.repeat(unclosed);
};

/** The text of a path without whitespace between its parts. @param root replaces the name with which the path begins */
export const pathText = (path: ASTNode, source: string, root = (name: string): string => name): string => {
  if (path.op === 'id') return root(path.args);
  const [of, key] = path.args as [ASTNode, string | ASTNode];
  const from = pathText(of, source, root);
  return typeof key === 'string' ? `${from}.${key}` : `${from}[${textOf(key, source)}]`;
};
