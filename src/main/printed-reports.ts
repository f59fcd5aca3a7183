import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shell } from 'electron';

/** Reports that the operator's browser shows, where they are printed or saved as PDF. */
export interface PrintedReports {
  /** Opens a page of HTML in the operator's browser. @throws Error that says why it does not open */
  open(html: string): Promise<void>;
  /** Removes the files. */
  remove(): void;
}

/** Reports lie in a folder that only their owner can enter, until the application ends. */
export const createPrintedReports = (): PrintedReports => {
  let folder: string | undefined;
  let made = 0;
  return {
    async open(html) {
      folder ??= mkdtempSync(join(tmpdir(), 'gasdesk-report-'));
      made += 1;
      const file = join(folder, `report-${made}.html`);
      writeFileSync(file, html, { mode: 0o600 });
      const fault = await shell.openPath(file);
      if (fault !== '') throw new Error(fault);
    },
    remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
};
