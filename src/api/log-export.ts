import { readCheckpoint } from '../core/log/checkpoint.ts';
import { EngineError } from '../shared/errors.ts';
import type { Caller } from './index.ts';

export interface LogRange {
  /** The first entry to export. Default: 0. */
  readonly from?: number | undefined;
  /** One past the last entry to export. Default: the size of the log. */
  readonly to?: number | undefined;
}

export interface LogExportHead {
  readonly format: 'gasdesk-log';
  readonly version: 1;
  readonly origin: string;
  /** The log's key according to the exporter. Trust a key only if it comes from another source. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
  /**
   * Roots, in base64, of the full subtrees before the first entry, and of those between the last entry and the
   * checkpoint's size.
   */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface LogExportEnd {
  readonly checkpoint: string;
}

/**
 * The lines of an exported log, each with its line break: a header, the entries byte for byte, a checkpoint.
 *
 * @throws EngineError `VAULT_LOCKED`, `LOG_INCONSISTENT`
 */
export async function* exportedLog(call: Caller, range: LogRange = {}): AsyncGenerator<string> {
  const { origin, key } = await call('log.key', {});
  const { note } = await call('log.checkpoint', {});
  const size = readCheckpoint(note)?.size ?? 0;
  const to = Math.min(range.to ?? size, size);
  const from = Math.min(range.from ?? 0, to);
  const head: LogExportHead = {
    format: 'gasdesk-log',
    version: 1,
    origin,
    key,
    from,
    to,
    before: await call('log.subtrees', { start: 0, end: from }),
    after: await call('log.subtrees', { start: to, end: size }),
  };
  yield `${JSON.stringify(head)}\n`;
  for (let next = from; next < to;) {
    const lines = await call('log.page', { from: next, to });
    if (lines.length === 0) throw new EngineError('LOG_INCONSISTENT');
    yield lines.map(({ text }) => `${text}\n`).join('');
    next += lines.length;
  }
  yield `${JSON.stringify({ checkpoint: note } satisfies LogExportEnd)}\n`;
}
