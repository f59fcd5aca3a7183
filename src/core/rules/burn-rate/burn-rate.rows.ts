import { commanding } from '../../../../test/support/advice.ts';
import { row, heldRow, ruleTable } from '../../../../test/support/rule-table.ts';
import { together } from '../../../../test/support/situation.ts';
import { COST, breaker, shared } from '../../../../test/support/situations.ts';
import { burnRate } from './burn-rate.ts';

export default ruleTable(burnRate, {
  BURN_RATE_EXCEEDED_BY_DAPP: {
    sparesDrafts: true,
    rows: [heldRow('dappBreaker', COST, together(breaker(4n * COST), shared({ chain: true })))],
    advices: [
      ...['resume', 'chain set'].map((name) =>
        commanding(
          together(breaker(4n * COST), shared({ chain: true }), { held: { dappBreaker: COST + 1n } }),
          name,
          name === 'resume' ? undefined : 'DAPP_PAUSED',
        ),
      ),
    ],
    words: {
      evidence: {
        chainId: 10,
        unit: 'wei',
        seconds: 3_600,
        threshold: '9',
        used: '8',
        amount: '2',
        dapp: 'Game Items',
        paymasterId: 'p-1',
      },
      names: ['0.000000000000000009', '1 hour for each DApp', 'Sponsorship for Game Items is paused', '--dapp p-1'],
    },
  },
  BURN_RATE_EXCEEDED: {
    sparesDrafts: true,
    rows: [heldRow('breaker', COST, breaker(2n * COST))],
    advices: [
      ...['resume', 'chain set'].map((name) =>
        commanding(
          together(breaker(2n * COST), { held: { breaker: COST + 1n } }),
          name,
          name === 'resume' ? undefined : 'DAPP_PAUSED',
        ),
      ),
    ],
    words: {
      evidence: { chainId: 10, unit: 'wei', seconds: 3_600, threshold: '9', used: '8', amount: '2' },
      names: [
        '0.000000000000000009',
        '1 hour',
        'Every DApp on this chain is paused',
        '--breaker 0.00000000000000001/3600s',
      ],
    },
  },
  BURN_RATE_TOO_SMALL: {
    sparesDrafts: true,
    rows: [
      row(breaker, COST - 1n, COST),
      row((wei: bigint) => together(breaker(wei), shared({ chain: true })), 2n * COST - 1n, 2n * COST),
    ],
    advices: [
      commanding(breaker(COST - 1n), 'chain set'),
      commanding(together(breaker(2n * COST - 1n), shared({ chain: true })), 'chain set'),
    ],
    words: {
      evidence: { chainId: 10, unit: 'wei', seconds: 3_600, threshold: '9', used: '0', amount: '11' },
      names: ['0.000000000000000009', '1 hour', '"gasdesk chain set 10 --breaker 0.000000000000000011/3600s"'],
    },
  },
});
