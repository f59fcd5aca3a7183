import { EngineError } from '../../../shared/errors.ts';

/**
 * Shows a page in a tab of its own and opens the browser's print dialog there, which makes a PDF too. The page has the
 * console's policy besides its own: no script of it would run.
 *
 * @throws EngineError if the browser lets no tab open
 */
export const printPage = async (html: string): Promise<void> => {
  const url = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  const tab = window.open(url);
  if (tab === null) {
    URL.revokeObjectURL(url);
    throw new EngineError('INTERNAL', 'The browser did not let the page open a tab. Save the report and print it.');
  }
  tab.addEventListener('load', () => {
    URL.revokeObjectURL(url);
    tab.print();
  });
};
