import { decide, plan } from '../../src/core/decision/decide.ts';
import type { Verdict } from '../../src/core/decision/decide.ts';
import type { ChainSnapshot, Facts } from '../../src/core/facts/facts.ts';
import type { AccountKind } from '../../src/core/ledger/account.ts';
import { requireLayout } from '../../src/core/paymaster-layouts/registry.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { UserOperationV06 } from '../../src/shared/schema/user-operation.ts';
import { factsWith, policyWith } from './facts.ts';

export interface Situation {
  readonly policy?: Partial<Policy>;
  readonly dapp?: Partial<Policy['dapp']>;
  readonly settings?: Partial<NonNullable<Policy['chain']>>;
  readonly facts?: Partial<Facts>;
  readonly chain?: Partial<ChainSnapshot>;
  readonly op?: Partial<UserOperationV06>;
  /** Held amounts without the operation, by kind of account. */
  readonly held?: Partial<Record<AccountKind, bigint>>;
}

export type Inputs = readonly [facts: Facts, policy: Policy, held: readonly bigint[]];

const freeze = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

/** Facts, policy and held amounts of a situation, deeply frozen. */
export const inputsOf = ({ policy, dapp, settings, facts, chain, op = {}, held = {} }: Situation): Inputs => {
  const [someFacts, somePolicy] = [factsWith({ op }), policyWith()];
  const version = dapp?.version ?? somePolicy.dapp.version;
  const byToken = facts?.token && requireLayout(version).token?.version;
  const contract = { ...someFacts.contract, version: byToken ?? version };
  const given: Facts = { ...someFacts, contract, chain: { ...someFacts.chain, ...chain } as ChainSnapshot, ...facts };
  const revision: Policy = {
    ...somePolicy,
    paymasterContracts: [{ version: contract.version, address: contract.address }],
    dapp: { ...somePolicy.dapp, ...dapp },
    chain: { ...somePolicy.chain, ...settings } as Policy['chain'],
    ...policy,
  };
  return freeze([given, revision, plan(given, revision).map(({ account }) => held[account.kind] ?? 0n)]);
};

/** Combines situations; of contradicting ones the last counts. */
export const together = (...all: readonly Situation[]): Situation =>
  all.reduce((one, other) => ({
    policy: { ...one.policy, ...other.policy },
    dapp: { ...one.dapp, ...other.dapp },
    settings: { ...one.settings, ...other.settings },
    facts: { ...one.facts, ...other.facts },
    chain: { ...one.chain, ...other.chain },
    op: { ...one.op, ...other.op },
    held: { ...one.held, ...other.held },
  }));

export type Done = Extract<Verdict, { next: 'done' }>;

/** The decision in a situation that calls no webhook. */
export const decided = (situation: Situation): Done => {
  const verdict = decide(...inputsOf(situation));
  if (verdict.next === 'callWebhooks') throw new Error('the webhooks are to be asked first');
  return verdict;
};
