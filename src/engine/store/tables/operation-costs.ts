import { readRecord } from '../../../core/decision/stored-record.ts';
import type { OperationReceipt } from '../../../core/costs/cost-report.ts';
import type { Address } from '../../../shared/schema/hex.ts';
import type { Access } from '../access.ts';
import type { OperationWithoutReceipt, PaidPlace, ReadReceipt } from '../cost-store.ts';
import type { StepRows, Steps } from '../rows.ts';
import type { MinedUserOperation } from '../settlement-store.ts';
import { lengthLimit } from './decision-reader.ts';

/** Operations in one read, and the maximum length of their records. Processing them takes some ms. */
const BATCH = 200;
const LOT_LENGTH = 256 * 1024;

const KEEP = `INSERT INTO mined_operation
    (seq, chain_id, block_hash, transaction_hash, success, gas_used, gas_cost_wei)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (seq) DO UPDATE SET block_hash = excluded.block_hash, transaction_hash = excluded.transaction_hash,
    success = excluded.success, gas_used = excluded.gas_used, gas_cost_wei = excluded.gas_cost_wei, bundler = NULL
  WHERE mined_operation.block_hash <> excluded.block_hash`;

const WITHOUT_RECEIPT = `SELECT seq, transaction_hash, block_hash FROM mined_operation
  WHERE chain_id = $1 AND bundler IS NULL ORDER BY seq DESC LIMIT $2`;

const SAVE = `UPDATE mined_operation
  SET bundler = $3, bundle_gas = $4, charged_gas = $5, base_fee_wei = $6, l1_fee_wei = $7, coin_usd = $8
  WHERE seq = $1 AND block_hash = $2`;

const PAID = `SELECT decision.seq, record, actual_cost_wei, success, gas_used, gas_cost_wei,
    bundler, bundle_gas, charged_gas, base_fee_wei, l1_fee_wei, coin_usd
  FROM decision LEFT JOIN mined_operation ON mined_operation.seq = decision.seq
  WHERE paymaster_id = $1 AND settlement = 'settled' AND at >= $2 AND at < $3 AND (at > $2 OR decision.seq > $4)
  ORDER BY at, decision.seq LIMIT ${BATCH}`;

interface PaidRow {
  readonly seq: number;
  readonly record: string;
  readonly actualCostWei: string;
  readonly success: number | null;
  readonly gasUsed: string;
  readonly gasCostWei: string;
  readonly bundler: Address | null;
  readonly bundleGas: string;
  readonly chargedGas: string;
  readonly baseFeeWei: string;
  readonly l1FeeWei: string;
  readonly coinUsd: string | null;
}

const receiptOf = (row: PaidRow): OperationReceipt | undefined => {
  if (row.bundler === null) return undefined;
  return {
    charged: { success: row.success === 1, gasUsed: BigInt(row.gasUsed), gasCostWei: BigInt(row.gasCostWei) },
    bundle: {
      gasUsed: BigInt(row.bundleGas),
      chargedGas: BigInt(row.chargedGas),
      baseFeeWei: BigInt(row.baseFeeWei),
      l1FeeWei: BigInt(row.l1FeeWei),
    },
    bundler: row.bundler,
    coinUsd: row.coinUsd,
  };
};

/** Keeps what the event of a settled operation says. If it is in another block than before, its receipt is read again. */
export const keepMined = function* (
  tx: StepRows,
  seq: number,
  chainId: number,
  mined: MinedUserOperation,
): Steps<void> {
  const { blockHash, transactionHash, success, actualGasUsed, actualGasCost } = mined;
  const amounts = [actualGasUsed, actualGasCost].map(String);
  yield* tx.run(KEEP, [seq, chainId, blockHash, transactionHash, Number(success), ...amounts]);
};

/** Costs of mined operations, and their receipts. */
export const costStore = ({ rows, writeShared }: Access) => ({
  /** The chain's newest settled operations without a receipt. */
  operationsWithoutReceipt: (chainId: number, most: number) =>
    rows.all<OperationWithoutReceipt>(WITHOUT_RECEIPT, [chainId, most]),
  /** Stores receipts. Skips operations that are not in the receipt's block any more. */
  saveReceipts: (receipts: readonly ReadReceipt[]): Promise<void> =>
    writeShared(function* (tx) {
      for (const { seq, blockHash, bundler, bundle, coinUsd } of receipts) {
        const { gasUsed, chargedGas, baseFeeWei, l1FeeWei } = bundle;
        const amounts = [gasUsed, chargedGas, baseFeeWei, l1FeeWei].map(String);
        yield* tx.run(SAVE, [seq, blockHash, bundler, ...amounts, coinUsd]);
      }
    }),
  /** The settled operations of a DApp from a place on, in order, at most some hundred at a time; empty at the end. */
  async paidOperations(paymasterId: string, from: PaidPlace, to: number) {
    const values = [paymasterId, from.at, to, from.seq];
    const found = await rows.upTo<PaidRow>(PAID, values, lengthLimit(LOT_LENGTH).add);
    return found.map((row) => ({
      seq: row.seq,
      record: readRecord(row.record),
      costWei: BigInt(row.actualCostWei),
      receipt: receiptOf(row),
    }));
  },
});
