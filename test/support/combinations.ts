/**
 * `npm test` has three minutes: tables of its slowest tests play as few rows as have each value, and crowds are small.
 * Everything else that runs tests, `npm run test:all` first, plays every combination.
 */
export const playsAll = process.env['GASDESK_TESTS'] !== 'few';

/** How many of something: so many in `test:all`, and so few in `npm test`. */
export const sized = (all: number, few: number): number => (playsAll ? all : few);

/** All rows, or the first that `npm test` plays, for a table whose rows differ in what other tests cover row by row. */
export const firstOf = <Row>(rows: readonly Row[], few = 1): Row[] => rows.slice(0, sized(rows.length, few));

/**
 * All rows for each of some groups, or a share of the rows for each group: every row is played by one group at least,
 * and every group plays one row at least.
 *
 * @param group - one of `groups`
 */
export const shareOf = <Row, Group>(rows: readonly Row[], group: Group, groups: readonly Group[]): Row[] => {
  const position = groups.indexOf(group);
  return rows.filter((_, row) => playsAll || row % groups.length === position || position % rows.length === row);
};
