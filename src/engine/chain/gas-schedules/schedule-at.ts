import type { GasSchedule } from '../../../core/gas-schedules/gas-schedule.ts';
import { assumedSchedule, gasSchedules } from '../../../core/gas-schedules/schedules.ts';
import type { GasScheduleReading } from '../../../shared/schema/gas-schedule.ts';
import type { ChainState } from '../../store/registry-store.ts';

/** The schedule that a reading shows at a time (epoch ms); null if it shows none. */
const read = ({ name, next }: GasScheduleReading, at: number): GasScheduleReading['name'] =>
  next !== null && at >= next.at ? next.name : name;

/**
 * A chain's gas schedule at a time: the pinned one, else that of its node, else the assumed one.
 *
 * @param at epoch ms
 */
export const scheduleAt = (
  chain: Pick<ChainState, 'gasSchedule' | 'gasScheduleReading'> | undefined,
  at: number,
): GasSchedule => {
  const reading = chain?.gasScheduleReading ?? null;
  const name = chain?.gasSchedule ?? (reading === null ? null : read(reading, at));
  return name === null ? assumedSchedule : gasSchedules[name];
};
