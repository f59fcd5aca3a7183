import type { AccountKind } from '../../src/core/ledger/account.ts';
import type { RuleKind } from '../../src/core/rules/rule.ts';
import type { Evidence } from '../../src/shared/denials.ts';
import type { Advice } from './advice.ts';
import { type Situation, together } from './situation.ts';

/** Two situations that differ in one value: with one of them the operation is denied, with the other it is signed. */
export interface Row {
  readonly denied: Situation;
  readonly signed: Situation;
}

/** What the tests know of a code with which a kind of rule denies. */
export interface CodeTable {
  readonly rows: readonly Row[];
  /** True: it does not apply to a draft. Its gas may be open, and nothing is signed for it. */
  readonly sparesDrafts?: true;
  /** What its hint says would help, and helps. */
  readonly advices: readonly Advice[];
  /** Realistic evidence, and what the words made from it have to name. */
  readonly words: { readonly evidence: Evidence; readonly names: readonly string[] };
}

/** What the tests of every kind of rule know of one. */
export interface RuleTable {
  readonly kind: RuleKind;
  readonly codes: Readonly<Record<string, CodeTable>>;
}

/** The table of a kind: the compiler sees that it has each of its codes, and no others. */
export const ruleTable = <Code extends string>(
  kind: RuleKind<Code>,
  codes: Readonly<Record<Code, CodeTable>>,
): RuleTable => ({ kind, codes });

/** A row of situations that are made from one value. */
export const row = <Value>(given: (value: Value) => Situation, denied: Value, signed: Value): Row => ({
  denied: given(denied),
  signed: given(signed),
});

/** What one kind of account may hold at most for the operation to be signed. */
export const heldRow = (kind: AccountKind, most: bigint, situation: Situation): Row =>
  row((held: bigint) => together(situation, { held: { [kind]: held } }), most + 1n, most);
