import type { ASTNode } from '@marcbachmann/cel-js';

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** The nodes in an argument of a node: itself, or the items of a list. */
export const nodesIn = (value: unknown): ASTNode[] => {
  if (isNode(value)) return [value];
  return Array.isArray(value) ? value.flatMap(nodesIn) : [];
};

/** The nodes right below a node. */
export const children = (node: ASTNode): ASTNode[] => nodesIn(node.args);

/** The method that a node calls, such as `all` of `calls.all(…)`. */
export const methodOf = ({ op, args }: ASTNode): string | undefined =>
  op === 'rcall' ? (args as [string, ...unknown[]])[0] : undefined;

/** True for a name of a loop: `all` and what else is evaluated for each item of a list. */
export const isLoopName = (name: string): boolean => LOOPS.has(name);

/** True for a loop. */
export const isLoop = (node: ASTNode): boolean => isLoopName(methodOf(node) ?? '');

/** True for `op.sender` or `context.plan["tier"]`: values that stand in what is asked, by whatever way to them. */
export const isPath = (node: ASTNode): boolean => {
  if (node.op === 'id') return true;
  if (node.op === '.') return isPath(node.args[0]);
  if (node.op !== '[]') return false;
  const [of, index] = node.args;
  return isPath(of) && index.op === 'value';
};

/** The single values that an expression names; what a loop runs over is left out. */
export const pathsIn = (node: ASTNode): ASTNode[] => {
  if (isPath(node)) return node.op === 'id' && node.args !== 'time' ? [] : [node];
  return isLoop(node) ? [] : children(node).flatMap(pathsIn);
};
