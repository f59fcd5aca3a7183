import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyWith } from '../../../test/support/facts.ts';
import { anyPolicy } from '../../../test/support/policy-arbitrary.ts';
import { type Policy, policyHash } from '../policy/policy.ts';
import { draftPolicy } from './draft-policy.ts';
import { parsePolicyFile } from './parse-file.ts';
import { policyFileText } from './write-file.ts';

const LATER = Date.UTC(2026, 10, 23);
const drafting = { now: LATER, newId: () => 'new' };

/**
 * The policy without values that always differ between DApps: ids, update counts, start times of limits, credentials.
 */
const apartFromIds = (policy: Policy): unknown =>
  JSON.parse(
    JSON.stringify(policy, (key, value: unknown) =>
      ['ruleId', 'webhookId', 'cycle', 'startTimeInEpoch'].includes(key) ? undefined : value,
    ).replaceAll(/\[secret\]@|#01234567(?=")/g, ''),
  );

test('what is exported and applied again is the same policy', () => {
  fc.assert(
    fc.property(anyPolicy, (policy) => {
      const again = draftPolicy(parsePolicyFile(policyFileText(policy)), policy, drafting);
      expect(again).toEqual(policy);
      expect(policyHash(again)).toBe(policyHash(policy));
    }),
  );
});

test('what is exported of one DApp makes the same policy of another, apart from ids', () => {
  fc.assert(
    fc.property(anyPolicy, (policy) => {
      const other = draftPolicy(parsePolicyFile(policyFileText(policy)), policyWith(), drafting);
      expect(apartFromIds(other)).toEqual(apartFromIds(policy));
    }),
  );
});

test('whatever is applied, a second export of it is the same text', () => {
  fc.assert(
    fc.property(anyPolicy, anyPolicy, (policy, before) => {
      const text = policyFileText(policy);
      expect(policyFileText(draftPolicy(parsePolicyFile(text), before, drafting))).toBe(text);
    }),
  );
});
