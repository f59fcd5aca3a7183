import { withFacts, commanding } from '../../../test/support/advice.ts';
import { factsWith } from '../../../test/support/facts.ts';
import { heldRow, ruleTable } from '../../../test/support/rule-table.ts';
import { together } from '../../../test/support/situation.ts';
import { COST, unreachable } from '../../../test/support/situations.ts';
import { unreachable as kind } from './unreachable.ts';

export default ruleTable(kind, {
  UNREACHABLE_BUDGET_SPENT: {
    rows: [heldRow('unreachable', COST, unreachable)],
    advices: [
      commanding(together(unreachable, { held: { unreachable: COST + 1n } }), 'chain set'),
      {
        denied: together(unreachable, { held: { unreachable: COST + 1n } }),
        says: /Send it again when the node answers/,
        change: (_, world) => withFacts(world, { chain: factsWith().chain }),
      },
    ],
    words: {
      evidence: { chainId: 10, unit: 'wei', threshold: '9', used: '8', amount: '2' },
      names: [
        '0.000000000000000009',
        '0.000000000000000008',
        '0.000000000000000002',
        'chain set 10 --unreachable sign --unreachable-budget 0.00000000000000001"',
      ],
    },
  },
});
