import { withOp, commanding, offering } from '../../../test/support/advice.ts';
import { GWEI, operationWith, rpcOperationV07With } from '../../../test/support/facts.ts';
import { row, ruleTable } from '../../../test/support/rule-table.ts';
import { type Situation, together } from '../../../test/support/situation.ts';
import { COIN, COST } from '../../../test/support/situations.ts';
import type { UserOperationV07 } from '../../shared/schema/user-operation.ts';
import { entryPoint06 } from '../entry-points/0.6.ts';
import { gasSchedules } from '../gas-schedules/schedules.ts';
import { bundleGas } from '../user-operation/bundle-gas.ts';
import { fromRpcUserOperation } from '../user-operation/rpc-user-operation.ts';
import { fees } from './fees.ts';

const unusedV07 = (changes: Partial<UserOperationV07>, call: string): Situation => ({
  dapp: { version: 'verifying-0.7' },
  facts: { op: rpcOperationV07With(changes), gasUsed: { validation: '50000', call } },
});
const tipping = (tip: bigint): Situation => ({ op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: tip } });
const suggesting = (tip: bigint): Situation => ({ chain: { suggestedTipWei: String(tip) } });
/** In gas: the cost of a bundle, the least that the operation uses with its call, and 15 % of that. */
const BUNDLE_GAS = bundleGas({ entryPoint: entryPoint06, schedule: gasSchedules.prague }, operationWith(), 0n);
const usualGas = (call: bigint): bigint => BUNDLE_GAS + 57_000n + call;
const surplus = (call: bigint): bigint => (usualGas(call) * 15n) / 100n;
/**
 * The tip at which the gain reaches the allowed total: 15 % above the cost of gas. This price also pays for the surplus
 * of preVerificationGas.
 */
const highestTip = (call: bigint): bigint => {
  const given = operationWith().preVerificationGas - BUNDLE_GAS;
  return (115n * GWEI * usualGas(call)) / (100n * (usualGas(call) + given)) - GWEI;
};
const using = (call: bigint): Situation => ({ facts: { gasUsed: { validation: '50000', call: String(call) } } });

const PRE_VERIFICATION_GAS = /a preVerificationGas of at most (?<number>\d+)/;
const CALL_GAS = /a callGasLimit of at most (?<number>\d+)/;
/** A v0.7 operation that requests far more gas than it uses. */
const unused = (call: string | null, changes: Partial<UserOperationV07> = { callGasLimit: 10n ** 7n }): Situation => ({
  dapp: { version: 'verifying-0.7' },
  facts: { op: rpcOperationV07With(changes), gasUsed: call === null ? null : { validation: '50000', call } },
});

/** The most gas for the call with which a transaction holds the operation from Osaka on. */
const MOST_CALL_GAS = 2n ** 24n - operationWith().verificationGasLimit - BUNDLE_GAS;
const onOsaka = (callGasLimit: bigint): Situation => ({ op: { callGasLimit }, facts: { gasSchedule: 'osaka' } });

export default ruleTable(fees, {
  FEE_TOO_LOW: {
    sparesDrafts: true,
    rows: [row((maxFeePerGas: bigint) => ({ op: { maxFeePerGas } }), GWEI - 1n, GWEI)],
    advices: [offering({ op: { maxFeePerGas: 1n } }, 'maxFeePerGas', /maxFeePerGas of at least (?<number>\d+) wei/)],
    words: { evidence: { maxFeePerGasWei: '1', baseFeeWei: '1000000007' }, names: ['1 wei', '1000000007'] },
  },
  FEE_TOO_HIGH: {
    sparesDrafts: true,
    rows: [
      row((maxFeePerGas: bigint) => ({ op: { maxFeePerGas } }), 10n * GWEI + 1n, 10n * GWEI),
      row(tipping, highestTip(0n) + 1n, highestTip(0n)),
      row((tip: bigint) => together(tipping(tip), using(90_000n)), highestTip(90_000n) + 1n, highestTip(90_000n)),
      // If the tip is above the base fee, an operation may offer twice the tip. A suggestion above any chain's usual
      // tip is not believed.
      row((tip: bigint) => ({ ...tipping(tip), ...suggesting(4n * GWEI) }), 8n * GWEI, 7n * GWEI),
      row(
        (fee: bigint) => ({
          op: { maxFeePerGas: fee },
          ...suggesting(200n * GWEI),
          settings: { maxOperationCostWei: String(COIN) },
        }),
        1010n * GWEI + 1n,
        1010n * GWEI,
      ),
      // The believed fee counts, regardless of what the node reports now.
      row(
        (believedTipWei: string) => together(tipping(GWEI), suggesting(GWEI), { chain: { believedTipWei } }),
        '500000000',
        '900000000',
      ),
      row((believedBaseFeeWei: string) => ({ chain: { believedBaseFeeWei } }), '800000000', '900000000'),
    ],
    advices: [
      offering({ op: { maxFeePerGas: 11n * GWEI } }, 'maxFeePerGas', /maxFeePerGas of at most (?<number>\d+) wei/),
      offering(
        { op: { maxFeePerGas: 11n * GWEI, maxPriorityFeePerGas: 9n * GWEI } },
        'maxFeePerGas',
        /maxFeePerGas of at most (?<number>\d+) wei/,
      ),
      ...(['maxFeePerGas', 'maxPriorityFeePerGas'] as const).map((field) =>
        offering(
          { op: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 9n * GWEI }, chain: { suggestedTipWei: '70000000' } },
          field,
          new RegExp(`${field} of at most (?<number>\\d+) wei`),
        ),
      ),
    ],
    words: {
      evidence: {
        maxFeePerGasWei: '500',
        baseFeeWei: '8',
        suggestedTipWei: '40',
        pricePerGasWei: '450',
        surplusWei: '9',
        mostSurplusWei: '5',
        priceSurplusWei: '7',
        preVerificationSurplusWei: '2',
        penaltyWei: '0',
        mostMaxFeePerGasWei: '200',
        mostTipWei: '192',
        symbol: 'ETH',
      },
      names: [
        '450',
        '8',
        'a tip of 40',
        '0.000000000000000009 ETH',
        '0.000000000000000005 ETH',
        '0.000000000000000007 ETH by the price',
        '0.000000000000000002 ETH by preVerificationGas',
        'maxFeePerGas of at most 200 wei',
        'maxPriorityFeePerGas of at most 192 wei',
      ],
    },
  },
  CALL_GAS_TOO_HIGH: {
    sparesDrafts: true,
    rows: [
      row((callGasLimit: bigint) => unusedV07({ callGasLimit }, '90000'), 400_000n, 200_000n),
      row((used: string) => unusedV07({ callGasLimit: 400_000n }, used), '90000', '200000'),
    ],
    advices: [
      offering(unused('90000'), 'callGasLimit', CALL_GAS),
      offering(unused(null), 'callGasLimit', CALL_GAS),
      {
        denied: unused('100', { callGasLimit: 100n, paymasterPostOpGasLimit: 10n ** 7n }),
        says: /a paymasterPostOpGasLimit of at most (?<number>\d+)/,
        change: ({ number = '' }, world) => withOp(world, { paymasterPostOpGasLimit: BigInt(number) }),
      },
    ],
    words: {
      evidence: {
        callGasLimit: '9000000',
        callGasUsed: '50000',
        mostCallGasLimit: '150000',
        symbol: 'ETH',
        surplusWei: '9',
        mostSurplusWei: '5',
        priceSurplusWei: '0',
        preVerificationSurplusWei: '0',
        penaltyWei: '9',
      },
      names: ['9000000', 'uses 50000', '0.000000000000000009 ETH by the penalty', '150000', 'calculateGasLimits'],
    },
  },
  GAS_ABOVE_BLOCK: {
    sparesDrafts: true,
    rows: [row((blockGasLimit: string) => ({ chain: { blockGasLimit } }), '199999', '200000')],
    advices: [
      {
        denied: { chain: { blockGasLimit: '160000' } },
        says: /lower limits that add up to at most (?<most>\d+)/,
        change: ({ most = '' }, world) => {
          const { verificationGasLimit, preVerificationGas } = fromRpcUserOperation(world.facts.op);
          return withOp(world, { callGasLimit: BigInt(most) - verificationGasLimit - preVerificationGas });
        },
      },
    ],
    words: { evidence: { gas: '40000000', blockGasLimit: '30000000' }, names: ['40000000', '30000000'] },
  },
  GAS_ABOVE_TRANSACTION: {
    sparesDrafts: true,
    rows: [row(onOsaka, MOST_CALL_GAS + 1n, MOST_CALL_GAS)],
    advices: [
      {
        denied: onOsaka(MOST_CALL_GAS + 1_000n),
        says: /lower by (?<excess>\d+) together/,
        change: ({ excess = '' }, world) => withOp(world, { callGasLimit: MOST_CALL_GAS + 1_000n - BigInt(excess) }),
      },
    ],
    words: {
      evidence: { gas: '20000000', mostTransactionGas: '16777216' },
      names: ['20000000', '16777216', '3222784', 'calculateGasLimits'],
    },
  },
  PRE_VERIFICATION_GAS_TOO_HIGH: {
    sparesDrafts: true,
    rows: [
      row(
        (preVerificationGas: bigint) => ({ op: { preVerificationGas } }),
        BUNDLE_GAS + surplus(0n) + 1n,
        BUNDLE_GAS + surplus(0n),
      ),
      row(
        (preVerificationGas: bigint) => ({ op: { preVerificationGas }, ...using(90_000n) }),
        BUNDLE_GAS + surplus(90_000n) + 1n,
        BUNDLE_GAS + surplus(90_000n),
      ),
      row(
        (preVerificationGas: bigint) => ({ op: { preVerificationGas }, facts: { chain: null, hasNode: false } }),
        2n * BUNDLE_GAS + 1n,
        2n * BUNDLE_GAS,
      ),
    ],
    advices: [
      offering({ op: { preVerificationGas: 10n ** 9n } }, 'preVerificationGas', PRE_VERIFICATION_GAS),
      offering(
        { op: { preVerificationGas: 10n ** 9n }, facts: { chain: null, hasNode: false } },
        'preVerificationGas',
        PRE_VERIFICATION_GAS,
      ),
    ],
    words: {
      evidence: { preVerificationGas: '1000000000', bundleGas: '50000', mostPreVerificationGas: '100000' },
      names: ['1000000000', '50000', '100000', 'calculateGasLimits'],
    },
  },
  OPERATION_COST_TOO_HIGH: {
    sparesDrafts: true,
    rows: [
      row((most: bigint) => ({ settings: { maxOperationCostWei: String(most) } }), COST - 1n, COST),
      // 20,000,000 gas, unless the operator has set a maximum cost.
      row((callGasLimit: bigint) => ({ op: { callGasLimit } }), 19_788_001n, 19_788_000n),
    ],
    advices: [
      offering(
        { settings: { maxOperationCostWei: String(COST) }, op: { maxFeePerGas: (17n * GWEI) / 10n } },
        'maxFeePerGas',
        /maxFeePerGas of at most (?<number>\d+) wei/,
      ),
      commanding({ settings: { maxOperationCostWei: String(COST - 1n) } }, 'chain set'),
    ],
    words: {
      evidence: {
        requiredWei: '30000000000000000',
        mostCostWei: '20000000000000000',
        chainId: 8453,
        symbol: 'ETH',
        maxFeePerGasWei: '1500',
        baseFeeWei: '1000',
      },
      names: [
        '0.03 ETH',
        '0.02 ETH',
        'maxFeePerGas of at most 1000 wei',
        'gasdesk chain set 8453 --max-operation-cost 0.03',
      ],
    },
  },
});
