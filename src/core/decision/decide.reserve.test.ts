import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SENDER } from '../../../test/support/facts.ts';
import { type Situation, inputsOf, together } from '../../../test/support/situation.ts';
import {
  COIN,
  COST,
  HOUR_MS,
  MAX_UNITS,
  NOW,
  breaker,
  inWei,
  limit,
  paying,
  shared,
  unreachable,
  usdc,
} from '../../../test/support/situations.ts';
import { decide, plan } from './decide.ts';
import { type AccountKind, type Reservation, accountText } from '../ledger/account.ts';

/** An operation that reserves in every kind of account but those for tokens and for an unreachable node. */
const everywhere: Situation = together(
  breaker(8n * COST),
  shared({ bySenders: true, byDapps: true, chain: true }),
  { policy: { rules: [limit({ type: 'SMART_ACCOUNT' }, 'each'), limit(inWei(3n * COST), 'all')] } },
  { op: { sender: `0x${SENDER.slice(2).toUpperCase()}` } },
);
const [, { dapp }] = inputsOf({});
const TANK = `31337:0x${'cc'.repeat(20)}:${dapp.fundingWallet}`;
const MINUTE = NOW / 60_000;

const reserved = (situation: Situation): Reservation[] => {
  const [facts, policy] = inputsOf(situation);
  return [...plan(facts, policy)];
};

describe('a signed operation reserves', () => {
  const [wei, rolling] = [{ amount: COST }, { window: MINUTE }];
  const hour = { kind: 'spend', ...wei, since: MINUTE - 60 };
  const limit = (id: string) => ({
    ...{ kind: 'limit', id, window: 0 },
    place: { group: 'dapp-1 86400000 20779', name: `${id}:0` },
  });

  test('in every account that it counts for, users by lower-case address', () => {
    expect(reserved(everywhere)).toEqual([
      { account: { ...limit('each:0'), user: SENDER }, kind: 'count', amount: 1n },
      { account: limit('all:0'), kind: 'spend', ...wei },
      { account: { kind: 'tank', id: TANK }, kind: 'tank', ...wei },
      { account: { kind: 'sender', id: `tank:${TANK}`, user: SENDER }, kind: 'tank', ...wei },
      { account: { kind: 'dapp', id: `tank:${TANK}`, user: 'dapp-1' }, kind: 'tank', ...wei },
      { account: { kind: 'breaker', id: '31337:3600:0', ...rolling }, ...hour },
      { account: { kind: 'dappBreaker', id: 'dapp-1:3600:0:0', ...rolling }, ...hour },
    ]);
  });

  test("the tokens that it may take, and nothing of the sponsorship's limits", () => {
    const tank = `31337:0x${'cc'.repeat(20)}:0x`;
    expect(reserved(together(everywhere, paying(), { settings: { breaker: null } }))).toMatchObject([
      { account: { kind: 'user', id: `31337:${usdc.address}`, user: SENDER }, kind: 'tank', amount: MAX_UNITS },
      { account: { kind: 'tank', id: tank } },
      { account: { kind: 'sender', id: `tank:${tank}` } },
      { account: { kind: 'dapp', id: `tank:${tank}` } },
    ]);
  });

  test('of the budget while no node answers: all of it that was ever signed counts, until it is dropped', () => {
    expect(reserved(unreachable)).toContainEqual({
      account: { kind: 'unreachable', id: '31337', ...rolling },
      kind: 'spend',
      ...wei,
      since: 0,
    });
    const withoutNode = together(unreachable, { facts: { hasNode: false } });
    expect(reserved(withoutNode).map(({ account }) => account.kind)).toEqual(['tank', 'sender', 'dapp']);
  });

  test('as a draft, nothing of the breaker', () => {
    const draft = together(everywhere, { facts: { stage: 'draft' } });
    expect(reserved(draft).map(({ account }) => account.kind)).toEqual(['limit', 'limit', 'tank', 'sender', 'dapp']);
  });
});

const accountsOf = (situation: Situation, kind: AccountKind): string[] =>
  reserved(situation)
    .map(({ account }) => account)
    .filter((account) => account.kind === kind)
    .map(accountText);

test.each<[string, AccountKind, Situation, boolean]>([
  ['a window goes on within it', 'limit', { facts: { at: NOW + 23 * HOUR_MS - 1 } }, true],
  ['a window ends', 'limit', { facts: { at: NOW + 23 * HOUR_MS } }, false],
  ['an update starts the windows anew', 'limit', { policy: { rules: [{ ...limit(), cycle: 1 }] } }, false],
  ['a part of the rolling window goes on', 'breaker', { facts: { at: NOW + 59_999 } }, true],
  ['a part of the rolling window ends', 'breaker', { facts: { at: NOW + 60_000 } }, false],
  ['a resumed desk starts again', 'breaker', { policy: { resumes: { desk: 1, dapp: 0 } } }, false],
  ['a resumed DApp does not set back the others', 'breaker', { policy: { resumes: { desk: 0, dapp: 1 } } }, true],
  ['a resumed DApp starts again', 'dappBreaker', { policy: { resumes: { desk: 0, dapp: 1 } } }, false],
])('%s: %s', (_, kind, change, isSame) => {
  const base = together(breaker(COST), { policy: { rules: [limit()] } });
  expect(accountsOf(base, kind)).toHaveLength(1);
  const changed = accountsOf(together(base, change), kind);
  if (isSame) expect(changed).toEqual(accountsOf(base, kind));
  else expect(changed).not.toEqual(accountsOf(base, kind));
});

/** The most that accounts may hold, by kind and, for limits, by rule; a share may always hold one operation. */
const bounds: Readonly<Record<string, bigint>> = {
  'limit:each': 5n,
  'limit:all': 3n * COST,
  user: 2n * MAX_UNITS,
  unreachable: 2n * COST,
  tank: COIN,
  sender: COIN / 4n,
  dapp: COIN / 4n,
  breaker: 8n * COST,
  dappBreaker: 4n * COST,
};
const nameOf = ({ account: { kind, id } }: Reservation): string =>
  kind === 'limit' ? `limit:${id.split(':')[0]}` : kind;
const rules: Readonly<Record<string, string>> = {
  'limit:each': 'spendingLimit',
  'limit:all': 'spendingLimit',
  user: 'tokenPayment',
  unreachable: 'unreachable',
  tank: 'gasTank',
  sender: 'gasTank',
  dapp: 'gasTank',
  breaker: 'burnRate',
  dappBreaker: 'burnRate',
};

const offline = together(everywhere, unreachable, { facts: { shared: { ...shared({}).facts!.shared!, chain: true } } });

test.each<[string, Situation, readonly string[]]>([
  ['sponsored', everywhere, []],
  ['paid in tokens', together(everywhere, paying()), []],
  // The balance of the tank is unknown.
  ['sponsored while no node answers', offline, ['tank', 'sender', 'dapp']],
])('an operation is %s exactly if every reservation fits', (_, situation, unbounded) => {
  const [facts, policy] = inputsOf(situation);
  const reservations = plan(facts, policy);
  const fits = (reservation: Reservation, held: bigint): boolean => {
    const name = nameOf(reservation);
    if (unbounded.includes(name)) return true;
    return (['sender', 'dapp'].includes(name) && held === 0n) || held + reservation.amount <= bounds[name]!;
  };
  const heldIn = (reservation: Reservation): fc.Arbitrary<bigint> => {
    const most = bounds[nameOf(reservation)]! - reservation.amount;
    return fc.oneof(
      { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: most }) },
      fc.constantFrom(0n, most, most + 1n),
      fc.bigInt({ min: 0n, max: 3n * most }),
    );
  };
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(fc.tuple(...reservations.map(heldIn)), (held) => {
      const unfitting = reservations.find((reservation, index) => !fits(reservation, held[index]!));
      const verdict = decide(facts, policy, held);
      if (verdict.next !== 'done') throw new Error('there is no webhook');
      expect(verdict.reason?.rule).toBe(unfitting && rules[nameOf(unfitting)]);
      seen.add(verdict.reason?.rule);
    }),
    { numRuns: 500 },
  );
  // Otherwise the property would hold vacuously.
  const possible = reservations.map(nameOf).filter((name) => !unbounded.includes(name));
  expect(seen).toEqual(new Set([undefined, ...possible.map((name) => rules[name])]));
});
