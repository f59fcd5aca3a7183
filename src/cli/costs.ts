import { Option } from 'commander';
import { costCsv } from '../api/cost-csv.ts';
import type { ProcedureOutput } from '../api/index.ts';
import { costParts } from '../shared/schema/cost.ts';
import { weiToDecimal } from '../shared/schema/decimal.ts';
import { grouped } from '../shared/words/amount.ts';
import { costPartWords, thousandths } from '../shared/words/costs.ts';
import { group, printFromDesk } from './command.ts';
import { taking } from './fields.ts';
import { humanText } from './human-text.ts';
import { type PageFlags, pageForce, pageOut, writePage } from './page.ts';
import { dapp, timeArgument } from './words.ts';

type Costs = ProcedureOutput<'costs.get'>;

const shares = ({ costWei, ...parts }: Costs['chains'][number]['total'], coin: string) =>
  [...costParts, 'unsplitWei' as const]
    .filter((part) => parts[part] !== '0')
    .map((part) => ({
      for: costPartWords[part].name,
      cost: `${weiToDecimal(BigInt(parts[part]))} ${coin}`,
      share: costWei === '0' ? '-' : `${(thousandths(parts[part], costWei) / 10).toFixed(1)} %`,
    }));

const text = ({ by, chains }: Costs): string => {
  if (chains.length === 0) return 'No operation was mined.\n';
  const sections = chains
    .flatMap(({ name, coin, total, groups }) => [
      `${name}: ${grouped(total.operations)} ${total.operations === 1 ? 'mined operation' : 'mined operations'} cost ${weiToDecimal(BigInt(total.costWei))} ${coin}${total.priced > 0 ? `, $${total.usd} at the prices of those days` : ''}.`,
      humanText(shares(total, coin)),
      '',
      humanText(
        groups.map((one) => ({
          [by]: one.name,
          operations: one.operations,
          reverted: one.reverted,
          cost: `${weiToDecimal(BigInt(one.costWei))} ${coin}`,
          usd: one.priced > 0 ? `$${one.usd}` : '-',
        })),
      ),
      '',
    ])
    .join('\n')
    .trimEnd();
  return `${sections}\n`;
};

const show = taking<'costs.get', { readonly csv?: boolean }>(
  'show',
  'Show what mined operations cost, and for what',
  'costs.get',
  {
    by: 'what to group by (default: dapp)',
    paymasterId: '--dapp <dapp>  only operations of this DApp: its name, or its id',
    from: {
      words: '--from <time>  only operations signed at this time or later (ISO 8601 or epoch ms)',
      parse: timeArgument,
    },
    to: { words: '--to <time>  only operations signed before this time', parse: timeArgument },
  },
  (input, { csv, ...options }) =>
    printFromDesk(options, async (call) => {
      const costs = await call('costs.get', input);
      if (csv === true) return costCsv(costs);
      return options.json === true ? costs : text(costs);
    }),
).addOption(new Option('--csv', 'print a table in CSV, with amounts in wei').conflicts('json'));

const statement = taking<'costs.statement', PageFlags>(
  'statement',
  'Write the statement of a DApp for a month as one HTML page, for printing',
  'costs.statement',
  { paymasterId: dapp, month: '--month <month>  month (UTC), such as 2026-11' },
  (input, { out, ...options }) =>
    printFromDesk(options, async (call) => {
      const { html, operations } = await call('costs.statement', input);
      if (out === undefined) return options.json === true ? { html, operations } : html;
      await writePage('statement', out, html, options);
      return { file: out, operations };
    }),
)
  .addOption(pageOut)
  .addOption(pageForce);

/** `gasdesk costs`, which shows costs unless a subcommand is given. */
export const costsCommand = group('costs', 'What mined operations cost, and for what', [statement]).addCommand(show, {
  isDefault: true,
});
