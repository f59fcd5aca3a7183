import Papa from 'papaparse';

/**
 * CSV as in RFC 4180. Text that a spreadsheet would interpret as a formula is escaped, because anyone can choose names
 * and messages.
 */
export const csv = (rows: readonly (readonly unknown[])[]): string => {
  const text = Papa.unparse(rows as unknown[][], { escapeFormulae: true, newline: '\r\n' });
  return text === '' ? '' : `${text}\r\n`;
};
