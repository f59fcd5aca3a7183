import { describe, expect, test } from 'vitest';
import { afterDenial, decidedIn, worldOf } from '../../../test/support/advice.ts';
import { casesOf, codeTables } from '../../../test/support/rule-tables.ts';
import { ruleKinds } from './registry.ts';

test('every code with which a kind of rule denies has its advice', () => {
  const codes = ruleKinds.flatMap(({ denials }) => Object.keys(denials));
  const advised = codeTables.filter(({ advices }) => advices.length > 0);
  expect(advised.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
});

describe('what a denial says would help, helps:', () => {
  test.each(casesOf(({ advices }) => advices))('$name', ({ code, denied, says, change, next }) => {
    const world = worldOf(denied);
    const { reason } = decidedIn(world);
    expect(reason?.code).toBe(code);
    expect(reason?.hint).toMatch(says);
    const said = says.exec(reason?.hint ?? '')?.groups ?? {};
    expect(decidedIn(change(said, afterDenial(world))).reason?.code).toBe(next);
  });
});
