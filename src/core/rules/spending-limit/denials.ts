import { type DenialRows, type Evidence, areUsed, clockTime, duration, units } from '../../../shared/denials.ts';
import type { SpendingLimit } from './data.ts';

const SCOPES = {
  OPERATION: 'for each operation',
  SMART_ACCOUNT: 'per user and window',
  SUBJECT: 'per person and window',
  PAYMASTER: 'per window, of all users together',
};
const LIFETIME_SCOPES = {
  ...SCOPES,
  SMART_ACCOUNT: 'per user in total',
  SUBJECT: 'per person in total',
  PAYMASTER: 'in total, for all users together',
};

const scopeOf = ({ scope, windowEndsAt }: Evidence): string =>
  (windowEndsAt === null ? LIFETIME_SCOPES : SCOPES)[scope as SpendingLimit['type']];

/** States the lowest threshold with room for the operation. */
const sufficient = (evidence: Evidence): string => {
  const threshold = BigInt(String(evidence.used)) + BigInt(String(evidence.amount));
  return units({ ...evidence, amount: String(threshold) }, 'amount');
};

const waitOrRaise = (evidence: Evidence): string => {
  const { windowEndsAt, now } = evidence;
  const raise = `the limit's threshold to at least ${sufficient(evidence)}`;
  if (windowEndsAt === null) return `Raise ${raise}. Waiting does not help: the limit never resets.`;
  const endsAt = Number(windowEndsAt);
  return `Wait until the window resets at ${clockTime(endsAt)}, in ${duration(endsAt - Number(now))}, or raise ${raise}.`;
};

const setPrice = (chainId: number, hasFeed: boolean): string => {
  const set = `"gasdesk chain set ${chainId}`;
  return hasFeed
    ? `Check the feed, or name another one with ${set} --native-feed ADDRESS". A price that you set with ${set} --usd AMOUNT" stays until you change it.`
    : `Set one with ${set} --usd AMOUNT", or name a Chainlink feed with ${set} --native-feed ADDRESS".`;
};

/** Why a limit denies an operation, and what would help. */
export const denials = {
  LIMIT_REACHED: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}; ` +
      `${areUsed(evidence)}, and this operation takes ${units(evidence, 'amount')}.`,
    hint: waitOrRaise(evidence),
  }),
  LIMIT_TOO_SMALL: (evidence) => ({
    message:
      `The limit "${String(evidence.name)}" allows ${units(evidence, 'threshold')} ${scopeOf(evidence)}, ` +
      `less than the ${units(evidence, 'amount')} that this operation may take.`,
    hint: `Raise the threshold of the limit to at least ${sufficient({ ...evidence, used: '0' })}, or send the operation with lower gas limits and fees. Waiting does not help.`,
  }),
  PRICE_UNKNOWN: ({ name, error, chainId, hasFeed }) => ({
    message: `The limit "${String(name)}" is in US dollars, and there is no usable price of the native coin: ${String(error)}.`,
    hint: setPrice(Number(chainId), hasFeed === true),
  }),
  PRICE_NOT_READ: ({ name }) => ({
    message: `The limit "${String(name)}" is in US dollars, and the price of the native coin was not read for this operation.`,
    hint: 'Send the operation again: Gasdesk reads the values that the rules in force need.',
  }),
  LIMIT_WITHOUT_SUBJECT: ({ name }) => ({
    message: `The limit "${String(name)}" counts people, and no rule in force has verified who sends this operation.`,
    hint: 'Send the proof that an IDENTITY rule of the DApp accepts. If the DApp has no such rule in force, add one.',
  }),
  LIMIT_SUBJECT_NOT_READ: ({ name }) => ({
    message: `The limit "${String(name)}" counts people, and Gasdesk did not verify who sends this operation.`,
    hint: 'Send the operation again: Gasdesk reads the values that the rules in force need.',
  }),
} satisfies DenialRows;
