import { EngineError } from '../../../shared/errors.ts';

/**
 * Shows a page in a new tab, and opens the browser's print dialog, which can also save it as PDF. The console's content
 * security policy applies in addition to the page's own, so that no script in the page could run.
 *
 * @throws EngineError if the browser opens no tab
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
