import { decide } from '../../src/core/decision/decide.ts';
import type { Facts } from '../../src/core/facts/facts.ts';
import type { Policy } from '../../src/core/policy/policy.ts';

/** Decides, from texts to a text. bare-core.ts bundles and calls it. */
const decideText = (facts: string, policy: string, held: string): string =>
  JSON.stringify(
    decide(JSON.parse(facts) as Facts, JSON.parse(policy) as Policy, (JSON.parse(held) as string[]).map(BigInt)),
    (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );

Object.assign(globalThis, { decideText });
