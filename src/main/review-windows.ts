import { type WebContents, dialog } from 'electron';
import type { Log } from '../engine/log.ts';
import { type Review, createReview } from '../engine/review/review.ts';
import type { ConsoleService } from '../engine/service/index.ts';
import { EngineError } from '../shared/errors.ts';
import { openWindow } from './window.ts';

/** Windows that show decision exports and backups, each its own, beside the desk's. */
export interface ReviewWindows {
  /** Opens a file in a window; a file that cannot be reviewed is explained to the operator. */
  open(file: string): Promise<void>;
  /** Asks the operator for a file first. */
  choose(): Promise<void>;
  /** What the window with these contents shows; undefined if it is none of these. */
  serviceOf(contents: WebContents): ConsoleService | undefined;
  /** Ends all reviews, and removes what they made. */
  stop(): Promise<void>;
}

/** The windows of reviews. */
export const createReviewWindows = ({ preload, log }: { preload: string; log: Log }): ReviewWindows => {
  const reviews = new Map<WebContents, Review>();

  const open = async (file: string): Promise<void> => {
    let review: Review;
    try {
      review = await createReview({ file, log });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      dialog.showErrorBox('This file cannot be reviewed', error.message);
      return;
    }
    const window = openWindow({ preload, log });
    const { webContents } = window;
    reviews.set(webContents, review);
    window.focus();
    window.once('closed', () => {
      reviews.delete(webContents);
      review.stop().catch((error: unknown) => log.error('desktop.review', { err: error }));
    });
  };

  return {
    open,
    async choose() {
      const { filePaths } = await dialog.showOpenDialog({
        title: 'Open for review',
        filters: [
          { name: 'Decision exports and backups', extensions: ['jsonl', 'gasdesk-backup'] },
          { name: 'All files', extensions: ['*'] },
        ],
        properties: ['openFile'],
      });
      for (const file of filePaths) await open(file);
    },
    serviceOf: (contents) => reviews.get(contents)?.service,
    async stop() {
      const open = [...reviews.values()];
      reviews.clear();
      await Promise.all(open.map((review) => review.stop()));
    },
  };
};
