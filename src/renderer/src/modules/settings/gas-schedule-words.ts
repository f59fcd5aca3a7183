import type { Chain } from '../../desk/types.ts';
import { exactTime } from '../../ui/time.ts';

const SOURCES: Readonly<Record<Chain['gasSchedule']['source'], string>> = {
  pinned: 'pinned',
  eth_config: 'from the node',
  eth_estimateGas: 'measured at the node',
  assumed: 'assumed',
};

/** The gas schedule of a chain, where it comes from, and when the next one begins. */
export const gasScheduleWords = ({ name, source, next }: Chain['gasSchedule']): string => {
  const coming = next === null ? '' : `; ${next.name} from ${exactTime(next.at)}`;
  return `Gas schedule: ${name} (${SOURCES[source]})${coming}`;
};
