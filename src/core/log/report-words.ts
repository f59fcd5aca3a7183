import { grouped } from '../../shared/words/amount.ts';
import type { LogReport } from './log-report.ts';

const entriesOf = (count: number): string => `${grouped(count)} ${count === 1 ? 'entry' : 'entries'}`;

/** Says that words and evidence of some decisions were not compared. @param count at least 1 */
export const otherEngineWords = (count: number): string =>
  `Decided by another version: ${grouped(count)} (messages, hints and evidence not compared).`;

const soundWords = ({ entries, checkpoint }: LogReport): string => {
  if (checkpoint === null) return `${entriesOf(entries)}, not signed.`;
  const { origin, size } = checkpoint;
  if (entries === size) {
    return `${entriesOf(entries)}, complete, signed by ${origin}. Every verdict and every amount follows from the entries.`;
  }
  return `${grouped(entries)} of ${entriesOf(size)}, signed by ${origin}. Every verdict whose policy is among them follows.`;
};

/** What came of verifying a log, in words: what it proves, or its first fault. */
export const logWords = (report: LogReport): string => {
  const { entries, checkpoint, byOtherEngine, faults } = report;
  const [first] = faults;
  if (first === undefined) {
    return [soundWords(report), ...(byOtherEngine > 0 ? [otherEngineWords(byOtherEngine)] : [])].join(' ');
  }
  const signed = checkpoint === null ? 'no checkpoint fits' : `signed by ${checkpoint.origin}`;
  const where = first.entry === null ? '' : ` Entry ${grouped(first.entry)} is at fault:`;
  const others = faults.length - 1;
  const more = others === 0 ? '' : ` ${grouped(others)} more ${others === 1 ? 'fault follows' : 'faults follow'}.`;
  return `This log cannot be trusted (${entriesOf(entries)}, ${signed}).${where} ${first.detail}.${more}`;
};
