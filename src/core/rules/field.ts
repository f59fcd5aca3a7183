/**
 * Type of a field's value. `count` is sent as a number and `digits` as text; `accounts` is a list that may come from a
 * file.
 */
export type RuleFieldKind =
  'text' | 'expression' | 'address' | 'addresses' | 'accounts' | 'digits' | 'count' | 'choice' | 'yes';

/** A form field. All values are text. */
export interface Field<Kind extends string = RuleFieldKind> {
  readonly label: string;
  readonly kind: Kind;
  /** Initial value; may be empty. */
  readonly default: string;
  readonly optional?: true;
  readonly unit?: string;
  /** Options of a choice: labels by value. */
  readonly options?: Readonly<Record<string, string>>;
  /** Placeholder of an empty field. */
  readonly example?: string;
  /** Help text below the field. */
  readonly help?: string;
  /** The value is sent, but the field is not shown. */
  readonly fixed?: string;
}

/** The values that the operator typed, by field name. Fields that were not changed are missing. */
export type TypedValues = Readonly<Record<string, string>>;

/** The console's form for rules of one kind. */
export interface RuleForm {
  /** Label of the button that opens the form for a new rule. */
  readonly opens: string;
  /** Title of the form for a new rule. */
  readonly title: string;
  /** The name of such a rule on buttons. */
  readonly noun: string;
  /** Example of a rule name. */
  readonly example?: string;
  /** Initial values of a new rule. @param add values from a link to the form; may be empty */
  begins?(add: string): { readonly name: string; readonly typed: TypedValues };
  /** The fields for the values typed so far, in order, by their name in `policyData`. */
  fields(typed: TypedValues): Readonly<Record<string, Field>>;
  /** Text below the fields. @param sentence the effect of the rule; undefined until it is complete */
  note?(sentence: string | undefined): string;
  /** True if such a rule denies every operation while the chain has no node. */
  readonly needsNode?: boolean;
}

/** Kinds whose forms are more than a list of fields. The console implements a separate form for each. */
export type OwnForm = 'spendingLimit' | 'webhook';
