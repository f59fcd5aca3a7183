/** What a field of a rule takes. `count` is sent as a number, `digits` as text; `accounts` are many, and may come from a file. */
export type RuleFieldKind =
  'text' | 'expression' | 'address' | 'addresses' | 'accounts' | 'digits' | 'count' | 'choice' | 'yes';

/** Something to fill in, as text. */
export interface Field<Kind extends string = RuleFieldKind> {
  readonly label: string;
  readonly kind: Kind;
  /** What is filled in; empty: nothing. */
  readonly default: string;
  /** It may stay empty. */
  readonly optional?: true;
  readonly unit?: string;
  /** What a choice is among: words by value. */
  readonly options?: Readonly<Record<string, string>>;
  /** Stands in the field while it is empty. */
  readonly example?: string;
  /** Below the field. */
  readonly help?: string;
  /** It is sent, and nobody is asked for it. */
  readonly fixed?: string;
}

/** Values of fields by name, as they are typed. Of those that were not touched there are none. */
export type TypedValues = Readonly<Record<string, string>>;

/** The form of the console for rules of a kind. */
export interface RuleForm {
  /** What the button in the policy says that opens it for a new rule. */
  readonly opens: string;
  /** Its title for a new rule. */
  readonly title: string;
  /** What such a rule is called on its buttons. */
  readonly noun: string;
  /** A name that such a rule could have. */
  readonly example?: string;
  /** What a new rule begins with. @param add what a link to the form fills in; empty: nothing */
  begins?(add: string): { readonly name: string; readonly typed: TypedValues };
  /** Its fields in their order, by the members of `policyData`: those that fit what is typed. */
  fields(typed: TypedValues): Readonly<Record<string, Field>>;
  /** Below the fields. @param sentence what the rule does; undefined until it is whole */
  note?(sentence: string | undefined): string;
  /** True: without a node of the chain, such a rule denies every operation. */
  readonly needsNode?: boolean;
}

/** Kinds whose rules are more than fields: the console has a form of its own for each. */
export type OwnForm = 'spendingLimit' | 'webhook';
