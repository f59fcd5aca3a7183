import { costParts } from '../shared/schema/cost.ts';
import { weiToDecimal } from '../shared/schema/decimal.ts';
import { csv } from './csv.ts';
import type { ProcedureOutput } from './index.ts';

const AMOUNTS = ['costWei', ...costParts, 'unsplitWei'] as const;

const columns = ['chainId', 'coin', 'operations', 'reverted', ...AMOUNTS.map((one) => one.replace(/Wei$/, '')), 'usd'];

/** The costs of groups as a table in CSV. Amounts are exact, in the chain's coin. */
export const costCsv = ({ by, chains }: ProcedureOutput<'costs.get'>): string =>
  csv([
    [by, 'name', ...columns],
    ...chains.flatMap(({ chainId, coin, groups }) =>
      groups.map((group) => [
        group.key,
        group.name,
        chainId,
        coin,
        group.operations,
        group.reverted,
        ...AMOUNTS.map((part) => weiToDecimal(BigInt(group[part]))),
        group.priced > 0 ? group.usd : '',
      ]),
    ),
  ]);
