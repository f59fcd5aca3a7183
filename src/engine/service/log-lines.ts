import type { ProcedureArguments, ProcedureOutput } from '../../api/index.ts';
import { type Log, logLevels } from '../base/log.ts';

type LogLine = ProcedureOutput<'system.log'>['lines'][number];

interface WrittenLine {
  readonly level: LogLine['level'];
  readonly time: string;
  readonly event: string;
}

const readLine = (seq: number, json: string): LogLine => {
  const { level, time, event, ...fields } = JSON.parse(json) as WrittenLine;
  return { seq, at: Date.parse(time), level, event, fields };
};

/** Log lines in memory that have at least a given level and follow a known line. */
export const logLines = (
  { tail, level: written }: Log,
  { level = 'debug', after = 0 }: ProcedureArguments<'system.log'>,
): ProcedureOutput<'system.log'> => {
  const least = logLevels.indexOf(level);
  const lines = tail.since(after).map(({ seq, json }) => readLine(seq, json));
  return { level: written, last: tail.last, lines: lines.filter((line) => logLevels.indexOf(line.level) >= least) };
};
