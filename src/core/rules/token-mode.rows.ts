import { commanding } from '../../../test/support/advice.ts';
import { factsWith } from '../../../test/support/facts.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import { paying } from '../../../test/support/situations.ts';
import { tokenMode } from './token-mode.ts';

export default ruleTable(tokenMode, {
  TOKEN_MODE_OFF: {
    rows: [row((tokenMode: boolean) => ({ ...paying(), dapp: { tokenMode } }), false, true)],
    advices: [
      commanding({ ...paying(), dapp: { tokenMode: false } }, 'dapp token-mode'),
      {
        denied: { ...paying(), dapp: { tokenMode: false } },
        says: /Ask for sponsorship instead/,
        change: (_, { facts: { token: _none, ...facts }, ...world }) => ({
          ...world,
          facts: { ...facts, contract: factsWith().contract },
        }),
      },
    ],
    words: {
      evidence: { dapp: 'Game Items', paymasterId: 'p-1' },
      names: ['Game Items', 'gasdesk dapp token-mode p-1 on'],
    },
  },
});
