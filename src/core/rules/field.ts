/**
 * Type of a field's value. `count` is sent as a number, `digits` as text; `accounts` is a list, and may come from a
 * file.
 */
export type RuleFieldKind =
  'text' | 'expression' | 'address' | 'addresses' | 'accounts' | 'digits' | 'count' | 'choice' | 'yes';

/** A form field, as text. */
export interface Field<Kind extends string = RuleFieldKind> {
  readonly label: string;
  readonly kind: Kind;
  /** Its initial value; may be empty. */
  readonly default: string;
  readonly optional?: true;
  readonly unit?: string;
  /** Options of a choice: words by value. */
  readonly options?: Readonly<Record<string, string>>;
  /** Placeholder of an empty field. */
  readonly example?: string;
  /** Help text below the field. */
  readonly help?: string;
  /** It is sent, but not shown. */
  readonly fixed?: string;
}

/** Typed values of fields by name. Untouched fields are missing. */
export type TypedValues = Readonly<Record<string, string>>;

/** The form of the console for rules of a kind. */
export interface RuleForm {
  /** Label of the button in the policy that opens it for a new rule. */
  readonly opens: string;
  /** Its title for a new rule. */
  readonly title: string;
  /** Name of such a rule on its buttons. */
  readonly noun: string;
  /** A name that such a rule could have. */
  readonly example?: string;
  /** Initial values of a new rule. @param add what a link to the form fills in; may be empty */
  begins?(add: string): { readonly name: string; readonly typed: TypedValues };
  /** Its fields in order, by the members of `policyData`: those that fit the typed values. */
  fields(typed: TypedValues): Readonly<Record<string, Field>>;
  /** Text below the fields. @param sentence the effect of the rule; undefined until it is complete */
  note?(sentence: string | undefined): string;
  /** True: without a node of the chain, such a rule denies every operation. */
  readonly needsNode?: boolean;
}

/** Kinds whose rules are more than fields: the console has a form of its own for each. */
export type OwnForm = 'spendingLimit' | 'webhook';
