import type { QuietHours } from '../../shared/schema/alert-channel.ts';

/** The time of day, such as 07:05. */
const timeIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** Whether alerts wait at this time (epoch ms). The start belongs to the quiet hours, the end does not. */
export const isQuiet = ({ from, to, zone }: QuietHours, at: number): boolean => {
  const time = timeIn(zone, at);
  return from < to ? from <= time && time < to : from <= time || time < to;
};
