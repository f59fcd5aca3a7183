import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shell } from 'electron';
import { type TemporaryFolder, makeTemporaryFolder } from '../engine/data-folder/temporary-folder.ts';
import type { CalledService } from '../engine/http/answer-call.ts';

export interface PrintedReports {
  /**
   * Writes the report of a filter and opens it. The page names only the filter; the HTML is made here.
   *
   * @param filter is not trusted
   * @throws EngineError; Error with the reason if the file does not open
   */
  open(service: CalledService, filter: unknown): Promise<void>;
  remove(): Promise<void>;
}

/** Until the application ends, reports are in a folder that only their owner can enter. */
export const createPrintedReports = (): PrintedReports => {
  let folder: TemporaryFolder | undefined;
  let made = 0;
  return {
    async open(service, filter) {
      const { html } = await service.call('decisions.report', filter);
      folder ??= makeTemporaryFolder('report');
      made += 1;
      const file = join(folder.dir, `report-${made}.html`);
      writeFileSync(file, html, { mode: 0o600 });
      const error = await shell.openPath(file);
      if (error !== '') throw new Error(error);
    },
    async remove() {
      await folder?.remove();
    },
  };
};
