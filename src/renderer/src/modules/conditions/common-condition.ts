import type { KnownMethod, MethodArgument } from '../../../../core/conditions/known-methods.ts';
import { decimalToUnits, positiveDecimal } from '../../../../shared/schema/decimal.ts';

export type CommonKind = 'atMost' | 'inList' | 'gasPrice' | 'cost' | 'days' | 'policyId';

export interface CommonInput {
  kind: CommonKind;
  /** The method that is called, under its {@link methodKey}. */
  method: string | null;
  argument: number | null;
  /** The maximum of an argument, a gas price in gwei, or a cost in coins. */
  amount: string;
  /** The values of a list, separated by spaces, commas or line breaks. */
  list: string;
  /** Days of the week; Sunday is 0. */
  days: number[];
  /** The name that the client uses for the policy id. */
  policyName: 'policyId' | 'sponsorshipPolicyId';
  policyId: string;
}

/** Initial values of the form: Monday to Friday are selected, everything else is empty. */
export const commonInput = (): CommonInput => ({
  kind: 'atMost',
  method: null,
  argument: null,
  amount: '',
  list: '',
  policyName: 'policyId',
  policyId: '',
  days: [1, 2, 3, 4, 5],
});

const GWEI_DECIMALS = 9;
const COIN_DECIMALS = 18;

export const methodKey = ({ contract, signature }: KnownMethod): string => JSON.stringify([contract, signature]);

const isNumber = (type: string): boolean => /^u?int\d*$/.test(type);

/** The arguments of a method that a condition of this kind can check. */
export const argumentsFor = (kind: CommonKind, { args }: KnownMethod): (MethodArgument & { index: number })[] =>
  args
    .map((argument, index) => ({ ...argument, index }))
    .filter(({ type }) => isNumber(type) || (kind === 'inList' && /^(?:address|string|bytes\d*)$/.test(type)));

/** The value of an argument in CEL; undefined if it does not match the type. */
const literal = (type: string, typed: string): string | undefined => {
  if (isNumber(type)) return /^-?\d{1,78}$/.test(typed) ? String(BigInt(typed)) : undefined;
  if (type === 'string') return JSON.stringify(typed);
  const form = type === 'address' ? /^0x[\da-f]{40}$/i : /^0x(?:[\da-f]{2})*$/i;
  return form.test(typed) ? `"${typed.toLowerCase()}"` : undefined;
};

/** The items of a list. If they are text, which may contain spaces, there is one item per line. */
const itemsOf = (type: string, list: string): string[] =>
  list
    .split(type === 'string' ? '\n' : /[\s,]+/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

const compared = ({ kind, amount, list }: CommonInput, { type, access }: MethodArgument): string | undefined => {
  const argument = `c.args${access}`;
  if (kind === 'atMost') {
    const most = literal(type, amount.trim());
    return most === undefined ? undefined : `${argument} <= ${most}`;
  }
  const items = itemsOf(type, list).map((item) => literal(type, item));
  return items.length === 0 || items.includes(undefined) ? undefined : `${argument} in [${items.join(', ')}]`;
};

/** A condition on an argument of one method. Calls of other methods satisfy it. */
const ofArgument = (input: CommonInput, methods: readonly KnownMethod[]): string | undefined => {
  const method = methods.find((one) => methodKey(one) === input.method);
  const argument = method && argumentsFor(input.kind, method).find(({ index }) => index === input.argument);
  const text = argument && compared(input, argument);
  if (method === undefined || text === undefined) return undefined;
  const [contract, signature] = [method.contract, method.signature].map((name) => JSON.stringify(name));
  return `calls.all(c, c.contract != ${contract} || c.signature != ${signature} || ${text})`;
};

/** A positive amount in its smallest unit; undefined if the text is no such amount. */
const unitsOf = (typed: string, decimals: number): bigint | undefined => {
  const amount = /^[\d.]+$/.test(typed.trim()) ? positiveDecimal(typed.trim()) : undefined;
  if (amount === undefined || (amount.split('.')[1] ?? '').length > decimals) return undefined;
  return decimalToUnits(amount, decimals);
};

/** The CEL expression of a common condition; undefined while the form is incomplete. */
export const commonExpression = (input: CommonInput, methods: readonly KnownMethod[]): string | undefined => {
  const { kind, amount, days, policyName, policyId } = input;
  switch (kind) {
    case 'atMost':
    case 'inList':
      return ofArgument(input, methods);
    case 'gasPrice': {
      const wei = unitsOf(amount, GWEI_DECIMALS);
      return wei === undefined ? undefined : `op.maxFeePerGas <= ${wei}`;
    }
    case 'cost':
      return unitsOf(amount, COIN_DECIMALS) === undefined
        ? undefined
        : `op.maxCostWei <= wei("${positiveDecimal(amount.trim())}")`;
    case 'days':
      return days.length === 0 ? undefined : `time.getDayOfWeek() in [${days.toSorted().join(', ')}]`;
    case 'policyId':
      return policyId.trim() === ''
        ? undefined
        : `has(context.${policyName}) && context.${policyName} == ${JSON.stringify(policyId.trim())}`;
  }
};

/**
 * Joins two conditions with "and". If one is empty, returns the other. The added line break ends a comment at the end
 * of the first.
 */
export const bothConditions = (one: string, other: string): string => {
  const closed = (text: string): string => {
    if (!/\|\||\?/.test(text)) return text;
    return text.includes('//') ? `(${text}\n)` : `(${text})`;
  };
  return one.trim() === '' ? other : `${closed(one.trim())}\n&& ${closed(other)}`;
};
