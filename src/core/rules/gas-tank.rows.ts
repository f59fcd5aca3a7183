import { type Advice, withChain, commanding } from '../../../test/support/advice.ts';
import { row, heldRow, ruleTable } from '../../../test/support/rule-table.ts';
import { together } from '../../../test/support/situation.ts';
import { COIN, COST, shared } from '../../../test/support/situations.ts';
import { decimalToWei } from '../../shared/schema/decimal.ts';
import { gasTank } from './gas-tank.ts';

export default ruleTable(gasTank, {
  GAS_TANK_EMPTY: {
    rows: [
      row((balance: bigint) => ({ chain: { balanceWei: String(balance) } }), COST - 1n, COST),
      heldRow('tank', COIN - COST, {}),
      row((wei: bigint) => ({ chain: { pendingWithdrawalsWei: String(wei) } }), COIN - COST + 1n, COIN - COST),
    ],
    advices: [
      {
        denied: { chain: { balanceWei: String(COST), pendingWithdrawalsWei: '7' }, held: { tank: 5n * COST } },
        says: /Top up the tank by at least (?<coins>[\d.]+)/,
        change: ({ coins = '' }, world) =>
          withChain(world, ({ balanceWei }) => ({ balanceWei: String(BigInt(balanceWei) + decimalToWei(coins)) })),
      },
    ],
    words: { evidence: { balanceWei: '10', reservedWei: '4', requiredWei: '9' }, names: ['0.000000000000000003'] },
  },
  TANK_SHARE_REACHED: {
    sparesDrafts: true,
    rows: [
      heldRow('sender', COIN / 4n - COST, shared({ bySenders: true })),
      heldRow('dapp', COIN / 4n - COST, shared({ byDapps: true })),
    ],
    advices: [
      ...[
        together(shared({ bySenders: true }), { held: { sender: COIN / 4n - COST + 1n } }),
        together(shared({ byDapps: true }), { held: { dapp: COIN / 4n } }),
      ].flatMap((denied): Advice[] => [
        {
          denied,
          says: /top up the tank by at least (?<coins>[\d.]+)/,
          change: ({ coins = '' }, world) =>
            withChain(world, ({ balanceWei }) => ({ balanceWei: String(BigInt(balanceWei) + decimalToWei(coins)) })),
        },
        commanding(denied, 'config set'),
        { denied, says: /Wait until earlier operations are mined/, change: (_, world) => ({ ...world, ledger: [] }) },
      ]),
    ],
    words: {
      evidence: { holder: 'sender', percent: 25, shareWei: '5', outstandingWei: '4', requiredWei: '2' },
      names: ['sender', '25 %', '0.000000000000000005', '0.000000000000000004', 'outstandingSharePercent'],
    },
  },
});
