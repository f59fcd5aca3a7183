import { commanding } from '../../../test/support/advice.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import type { Situation } from '../../../test/support/situation.ts';
import { NOW } from '../../../test/support/situations.ts';
import type { PolicyPause } from '../policy/policy.ts';
import { pause } from './pause.ts';

const pausing = (pause: PolicyPause | null): Situation => ({ policy: { pause } });
const PAUSED_AT = Date.UTC(2026, 10, 21, 14, 30);

export default ruleTable(pause, {
  SPONSORSHIP_PAUSED: {
    rows: [row(pausing, { since: NOW, reason: 'Key rotation' }, null)],
    advices: [commanding({ policy: { pause: { since: NOW, reason: null } } }, 'resume')],
    words: {
      evidence: { pausedAt: PAUSED_AT, reason: 'Key rotation' },
      names: ['2026-11-21 14:30 UTC', 'gasdesk resume'],
    },
  },
  DAPP_PAUSED: {
    rows: [row(pausing, { since: NOW, reason: null, dapp: 'Game', paymasterId: 'p-1' }, null)],
    advices: [
      commanding({ policy: { pause: { since: NOW, reason: null, dapp: 'Game', paymasterId: 'dapp-1' } } }, 'resume'),
    ],
    words: {
      evidence: { pausedAt: PAUSED_AT, dapp: 'Game Items', paymasterId: 'p-1', reason: 'Too much' },
      names: ['2026-11-21 14:30 UTC', 'Game Items', 'gasdesk resume --dapp p-1'],
    },
  },
});
