import type { Facts } from '../../src/core/facts/facts.ts';
import { plan } from '../../src/core/decision/decide.ts';
import { Ledger } from '../../src/core/ledger/ledger.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { DecisionRecord } from '../../src/shared/schema/decision.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { encodeExecute } from './account-call-data.ts';
import { decidedLine } from './decided-record.ts';
import { factsWith } from './facts.ts';
import { COIN, ITEMS, NOW, call } from './situations.ts';

/** An operation that is sent to Gasdesk. The default is a mint at {@link NOW}. */
export interface TestOperation {
  readonly method?: 'mint' | 'burn';
  /** Time after {@link NOW}, in ms. */
  readonly after?: number;
  readonly sender?: Address;
  readonly callGasLimit?: bigint;
  /** What was read for it, besides what follows. */
  readonly facts?: Partial<Omit<Facts, 'op' | 'at'>>;
  readonly webhooks?: Facts['webhooks'];
  /** The token holdings that were read from the chain. */
  readonly holdings?: Facts['holdings'];
  /** On-chain balance of the gas tank. */
  readonly balanceWei?: bigint;
  /** How the operation is settled, if it is sponsored. */
  readonly settled?: Pick<DecisionRecord, 'settlement' | 'actualCostWei'>;
}

const factsOf = (operation: TestOperation): Facts => {
  const { method = 'mint', after = 0, sender, callGasLimit, webhooks = [], balanceWei = COIN, holdings } = operation;
  const op = {
    callData: encodeExecute(ITEMS, 0n, call(method)),
    ...(sender && { sender }),
    ...(callGasLimit !== undefined && { callGasLimit }),
  };
  const given = factsWith({ op, ...operation.facts });
  const chain = given.chain && { ...given.chain, balanceWei: String(balanceWei) };
  return { ...given, at: NOW + after, webhooks, chain, ...(holdings && { holdings }) };
};

/** Makes decisions one after the other. Each is settled at once. */
export const decisionsOf = (policy: Policy, operations: readonly TestOperation[]): DecisionRecord[] => {
  const ledger = new Ledger();
  return operations.map((operation, index) => {
    const facts = factsOf(operation);
    const reservations = plan(facts, policy);
    const held = reservations.map((one) => ledger.heldBy(one));
    const record = { ...decidedLine(facts, policy, held), id: `d-${index}` };
    if (record.outcome !== 'sponsored') return record;
    const settled = { ...record, ...operation.settled };
    ledger.settle(ledger.take(reservations), settled.settlement ?? 'reserved', BigInt(settled.actualCostWei ?? 0));
    return settled;
  });
};
