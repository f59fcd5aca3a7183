import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shell } from 'electron';
import { type TemporaryFolder, makeTemporaryFolder } from '../engine/data-folder/temporary-folder.ts';
import type { CalledService } from '../engine/http/answer-call.ts';

export interface PrintedReports {
  /**
   * Writes the report for a filter to a file, and opens it. The page passes only the filter; the HTML is created here.
   *
   * @param filter untrusted
   * @throws EngineError; Error with the reason if the file cannot be opened
   */
  open(service: CalledService, filter: unknown): Promise<void>;
  remove(): Promise<void>;
}

/** Writes reports to a folder that only its owner can enter, and that is kept until the application ends. */
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
