import type { ASTNode } from '@marcbachmann/cel-js';

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** The nodes in an argument of a node, which may be one, a list of them, or none. */
export const nodesIn = (value: unknown): ASTNode[] => {
  if (isNode(value)) return [value];
  return Array.isArray(value) ? value.flatMap(nodesIn) : [];
};

/** The nodes that a node is made of. */
export const children = (node: ASTNode): ASTNode[] => nodesIn(node.args);

/** The name of the method that a node calls, if it calls one. */
export const methodOf = ({ op, args }: ASTNode): string | undefined =>
  op === 'rcall' ? (args as [string, ...unknown[]])[0] : undefined;

/** True for a name of a loop: `all` and what else looks at each item of a list. */
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
