import { grouped } from '../../shared/words/amount.ts';
import type { NotReplayable } from '../replay/replay.ts';
import type { LogReport } from './log-report.ts';

const counted = (count: number, one: string, more: string): string => `${grouped(count)} ${count === 1 ? one : more}`;
const entriesOf = (count: number): string => counted(count, 'entry', 'entries');

/** Says that the texts and evidence of some decisions were not compared. @param count at least 1 */
export const otherEngineWords = (count: number): string =>
  `Decided by another version: ${grouped(count)} (messages, hints, evidence and names of calls not compared).`;

/** Why decisions were not decided again, as text in brackets after their number. */
export const notReplayableWords: Readonly<Record<NotReplayable, string>> = {
  FAILED: 'failed before they were decided',
  WITHOUT_FACTS: 'their facts are missing',
  TRUNCATED: 'denials of requests that were too long to store whole',
  WITHOUT_POLICY: 'their policy revision is missing',
  UNKNOWN_FORM: 'in a format that this version does not know',
};

const amountWords = ({ entries, checked }: LogReport, size: number): string => {
  if (checked.amounts) {
    return checked.notReplayed.TRUNCATED === undefined
      ? 'Every amount follows from the entries.'
      : 'Every amount of a decision that was decided again follows from the entries.';
  }
  return entries < size
    ? 'Amounts were not computed, since they depend on all earlier entries.'
    : 'Amounts in accounts before the first entry are taken from the entries.';
};

/** Says which decisions were checked, and why the others were not. */
const checkedWords = (report: LogReport, size: number): string => {
  const { decisions, replayed, notReplayed, amounts } = report.checked;
  if (decisions === 0) return 'There are no decisions.';
  const reasons = Object.entries(notReplayed).map(
    ([reason, count]) => `${grouped(count)} (${notReplayableWords[reason as NotReplayable]})`,
  );
  if (reasons.length === 0 && amounts) return 'Every verdict and every amount follows from the entries.';
  if (reasons.length === 0) return `Every verdict follows. ${amountWords(report, size)}`;
  const others = decisions - replayed;
  const were = `${grouped(others)} ${others === 1 ? 'was' : 'were'} not decided again: ${reasons.join(', ')}.`;
  const of = counted(decisions, 'verdict follows', 'verdicts follow');
  return `${grouped(replayed)} of ${of}; ${were} ${amountWords(report, size)}`;
};

const soundWords = (report: LogReport): string => {
  const { entries, checkpoint, checked, since } = report;
  if (checkpoint === null) return `${entriesOf(entries)}, not signed.`;
  const { origin, size } = checkpoint;
  const { unsignedTail, signatures, reservedTwice } = checked;
  const part = entries < size ? `${grouped(entries)} of ${entriesOf(size)}` : `${entriesOf(entries)}, complete`;
  const tail = counted(unsignedTail, 'entry is not signed yet', 'entries are not signed yet');
  return [
    unsignedTail === 0 ? `${part}, signed by ${origin}.` : `${entriesOf(entries)}, signed by ${origin}.`,
    ...(unsignedTail === 0 ? [] : [`The last ${tail}.`]),
    ...(since === null ? [] : [`They continue the earlier log of ${entriesOf(since.size)}.`]),
    checkedWords(report, size),
    ...(signatures ? [] : ['Signers were not checked.']),
    ...(reservedTwice === 0
      ? []
      : [`${counted(reservedTwice, 'operation was', 'operations were')} reserved while already reserved.`]),
  ].join(' ');
};

/** The result of verifying a log, in words: what it proves, or its first fault. */
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
