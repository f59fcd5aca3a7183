import { Option } from 'commander';
import { command, group, printFromDesk, wholeNumber } from './command.ts';
import type { DeskOptions } from './desk.ts';

type Outcome = 'sponsored' | 'denied' | 'error';

const list = command('list', 'List decisions, newest first')
  .option('--dapp <id>', 'only of this paymasterId')
  .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(['sponsored', 'denied', 'error']))
  .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 50)
  .action((options: DeskOptions & { dapp?: string; outcome?: Outcome; limit: number }) =>
    printFromDesk(options, async (call) => {
      const decisions = await call('decisions.list', {
        limit: options.limit,
        ...(options.dapp !== undefined && { paymasterId: options.dapp }),
        ...(options.outcome !== undefined && { outcome: options.outcome }),
      });
      if (options.json === true) return decisions;
      return decisions.map(({ seq, id, at, dapp, sender, outcome, code }) => ({
        seq,
        at: new Date(at).toISOString(),
        dapp,
        sender,
        outcome,
        code,
        id,
      }));
    }),
  );

const show = command('show', 'Show one decision with its trace')
  .argument('<id>', 'id of the decision')
  .action((decisionId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('decisions.show', { decisionId })),
  );

/** `gasdesk decisions` */
export const decisionsCommand = group('decisions', 'Decisions already made', [list, show]);
