import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ReviewInfo } from '../../api/system.ts';
import { createDecisionImport } from '../store/sqlite/decision-import.ts';
import { exportError, readExport } from './export-lines.ts';

/**
 * Reads a decision export into a new database.
 *
 * @param database path of the database; it must not exist
 * @throws EngineError `EXPORT_INVALID`, which names the invalid line; other errors of the file as Node reports them
 */
export const importExport = async (file: string, database: string, signal?: AbortSignal): Promise<ReviewInfo> => {
  const { mtimeMs } = await stat(file);
  const target = createDecisionImport(database);
  let from = Infinity;
  let to = 0;
  let lastSeq = 0;
  try {
    for await (const lines of readExport(file, { signal })) {
      for (const { line, decision } of lines) {
        const { id, seq } = decision;
        if (seq <= lastSeq) throw exportError(line, `its seq is ${seq}, but an earlier line has ${lastSeq}`);
        lastSeq = seq;
        if (!target.add(decision)) throw exportError(line, `an earlier line has the same id, ${id}`);
        from = Math.min(from, decision.at);
        to = Math.max(to, decision.at);
      }
    }
  } catch (error) {
    target.abandon();
    throw error;
  }
  target.finish();
  return { file: basename(file), savedAt: Math.floor(mtimeMs), from, to };
};
