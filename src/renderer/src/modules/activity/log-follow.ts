import { type Ref, computed, onScopeDispose, ref, shallowRef } from 'vue';
import type { ProcedureOutput } from '../../../../api/index.ts';
import { errorText } from '../../desk/use-loaded.ts';
import { useTimer } from '../../timer.ts';
import { useTransport } from '../../transport/transport.ts';

export type LogLine = ProcedureOutput<'system.log'>['lines'][number];
/** The least important level that the list shows. */
export type LogLevel = LogLine['level'];

/** The engine keeps the same number of lines. */
const MAX_LINES = 1_000;
const POLL_MS = 1_000;
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export const fieldsText = (fields: LogLine['fields']): string =>
  Object.entries(fields)
    .filter(([name]) => name !== 'err')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

/**
 * The error in a log line: its stack, which starts with name and message; without a stack, name and message; empty
 * without an error.
 */
export const loggedErrorText = ({ err }: LogLine['fields']): string => {
  if (typeof err !== 'object' || err === null) return '';
  const { name, message, stack } = err as { name?: string; message?: string; stack?: string };
  return stack ?? [name, message].filter(Boolean).join(': ');
};

/** True for a line of at least this level that contains the text, in any letter case. */
export const isWanted = (line: LogLine, level: LogLevel, text: string): boolean => {
  if (LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false;
  const all = `${line.event} ${fieldsText(line.fields)} ${loggedErrorText(line.fields)}`;
  return all.toLowerCase().includes(text.trim().toLowerCase());
};

export interface LogFollow {
  /** Newest first; undefined until they are read. */
  readonly lines: Readonly<Ref<readonly LogLine[] | undefined>>;
  /** New lines that are not shown yet. */
  readonly waiting: Readonly<Ref<readonly LogLine[]>>;
  /** The least important level that the engine writes. */
  readonly written: Readonly<Ref<string>>;
  readonly error: Readonly<Ref<string | undefined>>;
  readonly showWaiting: () => void;
}

/**
 * Follows the log while the page is open. While `isHeld` returns true, new lines wait.
 *
 * @param isHeld returns true while the operator is reading lines that would move
 */
export const useLogFollow = (isHeld: () => boolean): LogFollow => {
  const transport = useTransport();
  const timer = useTimer();
  const shown = shallowRef<readonly LogLine[]>();
  const waiting = shallowRef<readonly LogLine[]>([]);
  const written = ref('');
  const error = ref<string>();
  let last = 0;
  let isOver = false;
  let cancel = (): void => undefined;

  const showWaiting = (): void => {
    shown.value = [...waiting.value, ...(shown.value ?? [])].slice(0, MAX_LINES);
    waiting.value = [];
  };
  const poll = async (): Promise<void> => {
    try {
      const answer = await transport.call('system.log', { after: last });
      last = answer.last;
      written.value = answer.level;
      waiting.value = [...answer.lines.reverse(), ...waiting.value].slice(0, MAX_LINES);
      error.value = undefined;
      if (shown.value === undefined || !isHeld()) showWaiting();
    } catch (cause) {
      error.value = errorText(cause);
    }
    if (!isOver) cancel = timer.after(POLL_MS, () => void poll());
  };
  void poll();
  onScopeDispose(() => {
    isOver = true;
    cancel();
  });
  return { lines: computed(() => shown.value), waiting, written, error, showWaiting };
};
