import { once } from 'node:events';
import { basename } from 'node:path';
import { type BrowserWindow, type WebContents, dialog } from 'electron';
import type { CalledService } from '../engine/http/answer-call.ts';
import type { Log } from '../engine/base/log.ts';
import { type ReviewThread, startReviewThread } from '../engine/review/review-thread.ts';
import { EngineError } from '../shared/errors.ts';
import { openingPage } from './opening-page.ts';
import { type WindowFiles, openWindow, showPage } from './window.ts';

/** The windows of files under review, in addition to the main window. */
export interface ReviewWindows {
  /**
   * Opens a window immediately, which shows the progress. If the file cannot be reviewed, the operator is shown the
   * reason.
   */
  open(file: string): Promise<void>;
  /** Asks the operator for a file, and opens it. */
  choose(): Promise<void>;
  /** The service that the window with these contents shows; undefined for other windows. */
  serviceOf(contents: WebContents): CalledService | undefined;
  /** Ends all reviews and removes their files. */
  stop(): Promise<void>;
}

export interface ReviewWindowsOptions extends WindowFiles {
  /** Path of the script for the reviews' threads, the bundled `review-worker.ts`. */
  readonly worker: string;
  readonly log: Log;
}

/** Opens each file in its own window and worker thread. */
export const createReviewWindows = ({ worker, log, ...files }: ReviewWindowsOptions): ReviewWindows => {
  const reviews = new Map<WebContents, ReviewThread>();

  const openedIn = async (window: BrowserWindow, { opened }: ReviewThread): Promise<void> => {
    try {
      await Promise.all([opened, once(window, 'ready-to-show')]);
      if (!window.isDestroyed()) showPage(window, '/');
    } catch (error) {
      // The operator closed the window while the file was being read, so no explanation is needed.
      if (window.isDestroyed()) return;
      window.close();
      if (!(error instanceof EngineError)) throw error;
      dialog.showErrorBox('Cannot review this file', error.message);
    }
  };

  const open = async (file: string): Promise<void> => {
    const name = basename(file);
    const window = openWindow({ ...files, log, page: openingPage(name) });
    const review = startReviewThread(worker, file, (part) => {
      if (!window.isDestroyed()) window.setTitle(`Opening ${name}: ${Math.floor(part * 100)} % verified`);
    });
    const { webContents } = window;
    reviews.set(webContents, review);
    window.focus();
    window.once('closed', () => {
      // The review stays in the list until it has stopped, because quitting waits for it.
      review
        .stop()
        .catch((error: unknown) => log.error('desktop.review', { err: error }))
        .finally(() => reviews.delete(webContents));
    });
    await openedIn(window, review);
  };

  return {
    open,
    async choose() {
      const { filePaths } = await dialog.showOpenDialog({
        title: 'Open for review',
        filters: [
          { name: 'Exports, logs, receipts and backups', extensions: ['jsonl', 'tlog-proof', 'gasdesk-backup'] },
          { name: 'All files', extensions: ['*'] },
        ],
        properties: ['openFile'],
      });
      for (const file of filePaths) await open(file);
    },
    serviceOf: (contents) => reviews.get(contents)?.service,
    async stop() {
      await Promise.all([...reviews.values()].map((review) => review.stop()));
    },
  };
};
