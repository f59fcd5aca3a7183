import { FREE_ACCOUNTS, currency, lifetimeLimit, operationLimit } from './limit-rules.ts';
import type { Template } from './template.ts';

/** Sponsors the first operations of every user, within a budget. */
export const onboarding: Template<'currency' | 'operations' | 'perOperation' | 'budget'> = {
  name: 'onboarding',
  title: 'Onboarding',
  purpose: 'Sponsors the first operations of each user, up to a cost for each and a total budget.',
  fields: {
    currency,
    operations: { label: 'Operations per user', kind: 'count', default: '5', unit: 'operations' },
    perOperation: { label: 'At most for each operation', kind: 'amount', default: '0.50' },
    budget: { label: 'Total budget', kind: 'amount', default: '500' },
  },
  make: ({ currency: unit, operations, perOperation, budget }) => ({
    rules: [
      { name: 'Onboarding: operations per user', ...lifetimeLimit('SMART_ACCOUNT', 'COUNT', operations) },
      { name: 'Onboarding: each operation', ...operationLimit(unit, perOperation) },
      { name: 'Onboarding: budget', ...lifetimeLimit('PAYMASTER', unit, budget) },
    ],
  }),
  leaves: () => [
    FREE_ACCOUNTS,
    'A user is an account: anyone who makes another account starts again. Earlier operations of an account do not count.',
    'Users who had their operations are denied from then on: they pay for themselves, or another rule set has to follow.',
  ],
};
