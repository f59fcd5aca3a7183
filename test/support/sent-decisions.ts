import { plan } from '../../src/core/decision/decide.ts';
import { Ledger } from '../../src/core/ledger/ledger.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { encodeExecute } from './account-call-data.ts';
import { decidedLine } from './decided-record.ts';
import { factsWith } from './facts.ts';
import { ITEMS, NOW, PERSON, call, vouched } from './situations.ts';

export const ANN: Address = `0x${'a1'.repeat(20)}`;
export const BOB: Address = `0x${'b2'.repeat(20)}`;

export interface Sent {
  /** Creates the account. */
  readonly initCode?: Hex;
  readonly method?: 'mint' | 'burn';
  readonly sender?: Address;
  /** The keyed hash of the person who sends it. */
  readonly person?: string;
  /** Time after {@link NOW}, in ms. */
  readonly after?: number;
}

/** Decides operations one after the other; all stay reserved. */
export const decisionsOf = (policy: Policy, sent: readonly Sent[]): DecisionRecord[] => {
  const ledger = new Ledger();
  return sent.map(({ method = 'mint', sender, initCode, person: id = PERSON, after = 0 }, index) => {
    const op = {
      callData: encodeExecute(ITEMS, 0n, call(method)),
      ...(sender && { sender }),
      ...(initCode && { initCode }),
    };
    const { facts: subjects } = vouched({ source: 'VOUCHER', id, expiresAt: NOW / 1000 + 172_800 });
    const facts = {
      ...factsWith({ op }),
      ...subjects,
      ...(initCode && { account: { hasCode: false, nextNonce: '0' } }),
      at: NOW + after,
    };
    const reservations = plan(facts, policy);
    const held = reservations.map((one) => ledger.heldBy(one));
    const record = { ...decidedLine(facts, policy, held), id: `d-${index}` };
    if (record.outcome === 'sponsored') ledger.take(reservations);
    return record;
  });
};
