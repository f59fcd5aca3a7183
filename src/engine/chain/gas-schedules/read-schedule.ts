import { z } from 'zod';
import {
  CODE_ABOVE_LIMIT,
  type ForkConfig,
  MEASURED_DATA,
  measuredSchedule,
  scheduleOfConfig,
} from '../../../core/gas-schedules/recognize.ts';
import type { GasScheduleReading } from '../../../shared/schema/gas-schedule.ts';
import type { Address } from '../../../shared/schema/hex.ts';
import { readQuantity } from '../gas/eth-call.ts';
import { type RpcClient, RpcError } from '../rpc.ts';

const names = z.record(z.string(), z.unknown()).transform((named) => Object.keys(named));

const forkConfig = z.object({ activationTime: z.number(), precompiles: names, systemContracts: names.default([]) });

/** The configuration of the node's chain (EIP-7910). Other members are ignored. */
const configuration = z.object({ current: forkConfig, next: forkConfig.nullish() });

/** Undefined if the node does not support the method. Most nodes do not. */
const readConfiguration = async (
  rpc: RpcClient,
): Promise<{ readonly current: ForkConfig; readonly next: ForkConfig | null } | undefined> => {
  try {
    const { data } = configuration.safeParse(await rpc.send('eth_config', []));
    return data && { current: data.current, next: data.next ?? null };
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
};

/** An address without code: a transaction to it costs nothing but its data. */
const NOBODY: Address = '0x000000000000000000000000000000000a11ce00';

/** Whether no transaction can have the gas that a contract asks for. A node's own lower limit has the same effect. */
const hasLimit = async (rpc: RpcClient): Promise<boolean> => {
  try {
    await readQuantity(rpc, 'eth_estimateGas', [{ data: CODE_ABOVE_LIMIT }]);
    return false;
  } catch (error) {
    if (error instanceof RpcError) return true;
    throw error;
  }
};

const measure = async (rpc: RpcClient): Promise<GasScheduleReading> => {
  const gas = await readQuantity(rpc, 'eth_estimateGas', [{ to: NOBODY, data: MEASURED_DATA }]);
  return { name: measuredSchedule(gas, await hasLimit(rpc)), source: 'eth_estimateGas', next: null };
};

/**
 * The gas schedule of a node's chain, from its configuration (EIP-7910), or, if it returns none that Gasdesk knows,
 * measured with two estimates.
 *
 * @throws RpcError, EngineError `CHAIN_UNREACHABLE`
 */
export const readGasSchedule = async (rpc: RpcClient): Promise<GasScheduleReading> => {
  const configured = await readConfiguration(rpc);
  const reading = configured && scheduleOfConfig(configured.current, configured.next);
  return reading === undefined || reading.name === null ? measure(rpc) : reading;
};
