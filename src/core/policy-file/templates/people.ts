import { currency, lifetimeLimit } from './limit-rules.ts';
import type { Template } from './template.ts';

/** Sponsors some operations of every person in each period, whom the DApp's backend vouches for. */
export const people: Template<'signer' | 'operations' | 'days' | 'currency' | 'budget'> = {
  name: 'people',
  title: 'Free operations for each person',
  purpose: 'Each person gets three free operations a month, however many accounts they use.',
  fields: {
    signer: { label: "Address of the backend's signing key", kind: 'address', default: '' },
    operations: { label: 'Operations per person', kind: 'count', default: '3', unit: 'operations' },
    days: { label: 'In', kind: 'count', default: '30', unit: 'days' },
    currency,
    budget: { label: 'Total budget', kind: 'amount', default: '', optional: true },
  },
  errors: ({ days }) =>
    Number(days) > LONGEST_DAYS ? [{ field: 'days', message: `must be at most ${LONGEST_DAYS}` }] : [],
  make: ({ signer, operations, days, currency: unit, budget }) => ({
    rules: [
      { name: 'People: voucher', type: 'IDENTITY', data: { source: 'VOUCHER', signer } },
      {
        name: 'People: operations',
        type: 'PAYMASTER_SA_LIMIT',
        data: {
          type: 'SUBJECT',
          cycleDuration: { value: Number(days), unit: 'day' },
          threshold: operations,
          thresholdType: 'COUNT',
        },
      },
      ...(budget === '' ? [] : [{ name: 'People: budget', ...lifetimeLimit('PAYMASTER', unit, budget) }]),
    ],
  }),
  leaves: ({ budget }) => [
    'Anyone with the key of the backend can vouch for any number of people. Keep it like a password.',
    'A person is as unique as what the backend asks for: an e-mail address is free, a paid subscription is not.',
    budget === ''
      ? 'Without a budget, the cost grows with the number of people.'
      : 'Of the budget, all people together can use all.',
  ],
};

/** The longest window of a limit. */
const LONGEST_DAYS = 366;
