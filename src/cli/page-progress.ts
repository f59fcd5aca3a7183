import type { Caller } from '../api/index.ts';
import { grouped } from '../shared/words/amount.ts';
import { withProgress } from './terminal.ts';

/** How far a command is that reads page after page: the number that its next page starts after. */
const positions: Readonly<Record<string, readonly [field: string, unit: string]>> = {
  'decisions.page': ['after', 'decisions'],
  'log.page': ['from', 'entries'],
};

/** Runs something that reads all decisions, or the whole log, and shows how many of them it has read. */
export const withPageProgress = <T>(call: Caller, use: (call: Caller) => Promise<T>): Promise<T> =>
  withProgress((say) =>
    use((name, input) => {
      const [field, unit] = positions[name] ?? [];
      const position: unknown = field === undefined ? undefined : { ...input }[field as never];
      if (typeof position === 'number') say(`${grouped(position)} ${unit}`);
      return call(name, input);
    }),
  );
