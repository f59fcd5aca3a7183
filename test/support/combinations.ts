/**
 * `npm test` has three minutes: tables of its slowest tests run just enough rows to cover each value, with small
 * crowds. All other test runs, `npm run test:all` first, run every combination.
 */
export const playsAll = process.env['TEST_ROWS'] !== 'few';

/** The first number in `test:all`, the second in `npm test`. */
export const sized = (all: number, few: number): number => (playsAll ? all : few);

/** All rows, or only the first ones in `npm test`. For tables whose differences other tests cover row by row. */
export const firstOf = <Row>(rows: readonly Row[], few = 1): Row[] => rows.slice(0, sized(rows.length, few));

/**
 * All rows for each group; in `npm test` a share for each group. Every row runs in at least one group, and every group
 * runs at least one row.
 *
 * @param group - one of `groups`
 */
export const shareOf = <Row, Group>(rows: readonly Row[], group: Group, groups: readonly Group[]): Row[] => {
  const position = groups.indexOf(group);
  return rows.filter((_, row) => playsAll || row % groups.length === position || position % rows.length === row);
};
