import { type Markup, html } from '../../../shared/markup.ts';
import type { OutcomeCounts, Tally } from './tally.ts';

const WIDTH = 720;
const HEIGHT = 130;
const BASE = 112; // the dates are below this line
const WIDEST_BAR = 40;
/** The outcomes in a bar, from the bottom up. */
const STACK = ['sponsored', 'denied', 'error'] as const;

const total = (counts: OutcomeCounts): number => STACK.reduce((sum, outcome) => sum + counts[outcome], 0);

/** A stacked bar for each day, showing its decisions by outcome. The table below the chart contains the numbers. */
export const dayChart = (days: Tally['days']): Markup => {
  const listed = [...days].sort(([a], [b]) => a.localeCompare(b));
  const most = Math.max(1, ...listed.map(([, counts]) => total(counts)));
  const step = Math.min(WIDEST_BAR + 10, WIDTH / Math.max(1, listed.length));
  const bars = listed.map(([day, counts], index) => {
    let top = BASE;
    const parts = STACK.map((outcome) => {
      const height = (counts[outcome] / most) * (BASE - 8);
      top -= height;
      return html`<rect class="${outcome}" x="${index * step}" y="${top}" width="${step * 0.8}" height="${height}" />`;
    });
    return html`<g><title>${day}: ${total(counts)}</title>${parts}</g>`;
  });
  const [first, last] = [listed[0]?.[0] ?? '', listed.at(-1)?.[0] ?? ''];
  const label = `Bar chart of the decisions of each day, at most ${most}`;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
    ${bars}
    <line x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}" />
    <text x="0" y="${HEIGHT - 4}">${first}</text>
    <text x="${WIDTH}" y="${HEIGHT - 4}" class="end">${first === last ? '' : last}</text>
  </svg>`;
};
