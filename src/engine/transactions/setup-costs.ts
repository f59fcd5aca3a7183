import type { ProcedureOutput } from '../../api/index.ts';
import { EngineError } from '../../shared/errors.ts';
import type { Address } from '../../shared/schema/hex.ts';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import type { PaymasterLayout } from '../../core/paymaster-layouts/layout.ts';
import { type CanonicalContract, canonicalContracts, canonicalCreation } from '../chain/canonical-contracts.ts';
import { creationCode } from '../chain/creation-code.ts';
import { readCode, readQuantity } from '../chain/gas/eth-call.ts';
import type { GasSchedule } from '../../core/gas-schedules/gas-schedule.ts';
import { type Work, workGas } from '../../core/gas-schedules/work.ts';
import { type RpcClient, RpcError, scheduleOf } from '../chain/rpc.ts';
import { GAS_HEADROOM_PERCENT, type SimulatedCall, callObject, readFees } from './simulate.ts';

/** A deposit, with a margin. It cannot be estimated before the paymaster contract exists. */
const DEPOSIT: Work = { gas: 70_000n, slotChanges: 2n, newSlots: 1n };
/** Used if the node gives no estimate. More than any of the contracts needs, with code of at most 24,576 bytes. */
const creationGas = ({ codeByte }: GasSchedule): bigint => 1_100_000n + 24_576n * codeByte;
/** The deposit must cover the maximum cost of so many usual operations. */
const DEPOSIT_COVERS = 10n;
/** A usual operation uses less than this share of its gas limits. */
const USED = { times: 1n, per: 2n };

/** Rounds an amount up to one digit followed by zeros. */
const roundedUp = (wei: bigint): bigint => {
  const unit = 10n ** BigInt(String(wei).length - 1);
  return ((wei + unit - 1n) / unit) * unit;
};

const gasOf = async (rpc: RpcClient, call: Omit<SimulatedCall, 'chainId' | 'valueWei'>): Promise<bigint> => {
  try {
    const estimate = await readQuantity(rpc, 'eth_estimateGas', [callObject({ ...call, valueWei: 0n })]);
    return estimate + (estimate * GAS_HEADROOM_PERCENT) / 100n;
  } catch (error) {
    if (error instanceof RpcError) return creationGas(scheduleOf(rpc));
    throw error;
  }
};

/**
 * What it costs on a chain to deploy a paymaster contract, fill a gas tank and try it out. Uses current fees plus 50 %,
 * because fees may rise before the operator continues.
 *
 * @param rpc the chain's node
 * @param layout of the paymaster contract
 * @param wiring the contract's constructor arguments
 * @param wiring.owner the account that pays for and owns the contract
 * @param wiring.signer the address whose signatures the contract accepts
 * @throws EngineError `CHAIN_UNREACHABLE`; RpcError
 */
export const setupCosts = async (
  rpc: RpcClient,
  layout: PaymasterLayout,
  wiring: { owner: Address; signer: Address },
): Promise<ProcedureOutput<'setup.costs'>> => {
  const { owner } = wiring;
  const schedule = scheduleOf(rpc);
  const { most } = await readFees(rpc);
  const price = (most * 3n) / 2n;
  const isAbsent = async (name: CanonicalContract) =>
    layout.entryPointVersion === entryPoint06.version &&
    (await readCode(rpc, canonicalContracts[name].address)) === '0x';
  const canonicalGas = async (name: CanonicalContract): Promise<bigint> =>
    (await isAbsent(name)) ? gasOf(rpc, { from: owner, ...(await canonicalCreation(canonicalContracts[name])) }) : 0n;
  const contractGas = async (): Promise<bigint> => {
    try {
      return await gasOf(rpc, { from: owner, to: null, data: await creationCode(layout, wiring) });
    } catch (error) {
      if (error instanceof EngineError && error.code === 'NOT_DEPLOYABLE') return 0n;
      throw error;
    }
  };
  const [balanceWei, entryPoint, accountFactory, contract] = await Promise.all([
    readQuantity(rpc, 'eth_getBalance', [owner, 'latest']),
    canonicalGas('entryPoint'),
    canonicalGas('accountFactory'),
    contractGas(),
  ]);
  const gas = { entryPoint, accountFactory };
  const feeWei = (of: bigint): string => String(of * price);
  return {
    balanceWei: String(balanceWei),
    missing: (['entryPoint', 'accountFactory'] as const).filter((name) => gas[name] > 0n),
    maxFeeWei: {
      entryPoint: feeWei(entryPoint),
      accountFactory: feeWei(accountFactory),
      contract: feeWei(contract),
      deposit: feeWei(workGas(schedule, DEPOSIT)),
      operation: feeWei((schedule.usualOperation * USED.times) / USED.per),
    },
    depositWei: String(roundedUp(DEPOSIT_COVERS * schedule.usualOperation * most)),
  };
};
