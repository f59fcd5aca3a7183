import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ruleKinds } from '../../src/core/rules/registry.ts';
import type { RuleKind } from '../../src/core/rules/rule.ts';
import type { CodeTable, RuleTable } from './rule-table.ts';

const RULES = join(import.meta.dirname, '../../src/core/rules');

/** The file of a kind is named after its type. */
export const kindFile = ({ type }: Pick<RuleKind, 'type'>): string =>
  type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const files = new Map(globSync('**/*.rows.ts', { cwd: RULES }).map((file) => [basename(file, '.rows.ts'), file]));

const tableOf = async (kind: RuleKind): Promise<RuleTable> => {
  const file = files.get(kindFile(kind));
  if (file === undefined) throw new Error(`The kind ${kind.type} has no table: ${kindFile(kind)}.rows.ts is not there`);
  const { default: table } = (await import(join(RULES, file))) as { default: RuleTable };
  if (table.kind !== kind) throw new Error(`${file} is the table of ${table.kind.type}, not of ${kind.type}`);
  return table;
};

/** The tables of all kinds that can deny, in their order. @throws Error if a kind has none */
export const ruleTables: readonly RuleTable[] = await Promise.all(
  ruleKinds.filter(({ denials }) => Object.keys(denials).length > 0).map(tableOf),
);

/** All codes with their tables, and the types of their kinds. */
export const codeTables: readonly (CodeTable & { readonly code: string; readonly type: string })[] = ruleTables.flatMap(
  ({ kind: { type }, codes }) => Object.entries(codes).map(([code, table]) => ({ code, type, ...table })),
);

/** The cases of all codes, each with a name. */
export const casesOf = <Case extends object>(
  pick: (table: CodeTable) => readonly Case[],
): (Case & { readonly code: string; readonly type: string; readonly name: string })[] =>
  codeTables.flatMap(({ code, type, ...table }) => {
    const all = pick(table);
    return all.map((one, index) => ({ code, type, name: all.length === 1 ? code : `${code} (${index + 1})`, ...one }));
  });
