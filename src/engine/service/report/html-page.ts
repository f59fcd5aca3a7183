import { createHash } from 'node:crypto';
import { PAGE_STYLE } from '../../../shared/page-style.ts';
import { type Markup, html } from '../../../shared/markup.ts';

/** Allows only {@link PAGE_STYLE}. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

type Cell = Markup | string | number;

/** A table whose first column says what the numbers in the other columns count. */
export const table = (columns: readonly string[], rows: readonly (readonly Cell[])[]): Markup =>
  html`<table>
    <thead>
      <tr>
        ${columns.map((column, index) => (index === 0 ? html`<th>${column}</th>` : html`<th class="number">${column}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name = '', ...counts]) =>
          html`<tr>
            <td>${name}</td>
            ${counts.map((count) => html`<td class="number">${count}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

/** A self-contained HTML page without scripts, for printing. */
export const htmlPage = (title: string, body: Markup): string => {
  // Inserted without `html`, because escaping would change the style and its hash. The style is a constant.
  const style = `<style>${PAGE_STYLE}</style>`;
  const head = html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width" />
    <title>${title}</title>`;
  return `<!doctype html><html lang="en"><head>${head.text}${style}</head><body>${body.text}</body></html>\n`;
};
