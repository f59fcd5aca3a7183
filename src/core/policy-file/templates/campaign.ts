import { utc } from '../../rules/binding.ts';
import type { FileRule } from '../format.ts';
import { FREE_ACCOUNTS, currency, lifetimeLimit } from './limit-rules.ts';
import type { Template, TemplateRule } from './template.ts';

const idField = 'context.policyId';

/**
 * A condition on requests that name the campaign: in `policyId`, as one id or in a list, or in `sponsorshipPolicyId`.
 */
const namesCampaign = (id: string): string => {
  const text = JSON.stringify(id);
  const inList = `type(${idField}) == list && ${text} in ${idField}`;
  return (
    `has(${idField}) && (${idField} == ${text} || ${inList}) || ` +
    `has(context.sponsorshipPolicyId) && context.sponsorshipPolicyId == ${text}`
  );
};

const LAST_TEXT = /context\.sponsorshipPolicyId == (".*")$/;

/** The campaign's id, if a rule sponsors only that campaign; undefined for any other rule. */
const soleCampaign = ({ type, data, active, when }: FileRule): string | undefined => {
  const { expression } = data;
  if (type !== 'CONDITION' || !active || when !== undefined || typeof expression !== 'string') return undefined;
  const [, text = '""'] = LAST_TEXT.exec(expression) ?? [];
  const id = JSON.parse(text) as string;
  return namesCampaign(id) === expression ? id : undefined;
};

const timestamp = (text: string): string => `timestamp("${new Date(text).toISOString()}")`;

const datesRule = (name: string, from: string, until: string): Omit<TemplateRule, 'when' | 'binds'>[] => {
  if (from === '' && until === '') return [];
  const bounds = [
    ...(from === '' ? [] : [{ expression: `time >= ${timestamp(from)}`, words: `from ${utc(Date.parse(from))}` }]),
    ...(until === '' ? [] : [{ expression: `time < ${timestamp(until)}`, words: `until ${utc(Date.parse(until))}` }]),
  ];
  const expression = bounds.map((bound) => bound.expression).join(' && ');
  const message = `The campaign "${name}" runs ${bounds.map(({ words }) => words).join(' ')}.`;
  return [{ name: `${name}: dates`, type: 'CONDITION', data: { expression, message } }];
};

/** Why the campaign could never run. */
const dateErrors = (from: string, until: string, now: number): { field: 'until'; message: string }[] => {
  if (until === '') return [];
  const end = Date.parse(until);
  // Without a start, the comparison is with NaN, and false.
  if (end <= Date.parse(from)) return [{ field: 'until', message: 'must be after the start' }];
  if (end > now) return [];
  const message = `ends the campaign at ${utc(end)}, which is in the past. Choose a later time, or leave it empty`;
  return [{ field: 'until', message }];
};

type Field = 'name' | 'id' | 'currency' | 'budget' | 'operationsPerUser' | 'amountPerUser' | 'from' | 'until' | 'only';

/** A separate budget for operations that the DApp marks with a campaign id. */
export const campaign: Template<Field> = {
  name: 'campaign',
  title: 'Campaign',
  purpose: 'Operations that the DApp sends with an id have a budget, an allowance for each user, and dates.',
  fields: {
    name: { label: 'Name', kind: 'name', default: '' },
    id: { label: 'Id that the DApp sends (policyId or sponsorshipPolicyId)', kind: 'id', default: '' },
    currency,
    budget: { label: 'Total budget', kind: 'amount', default: '' },
    operationsPerUser: { label: 'Operations per user', kind: 'count', default: '', optional: true, unit: 'operations' },
    amountPerUser: { label: 'Gas per user', kind: 'amount', default: '', optional: true },
    from: { label: 'From', kind: 'time', default: '', optional: true },
    until: { label: 'Until', kind: 'time', default: '', optional: true },
    only: { label: 'Sponsor only operations of this campaign', kind: 'yes', default: 'yes' },
  },
  errors: ({ id, from, until }, { rules }, now) => [
    ...dateErrors(from, until, now),
    ...rules.flatMap((rule) => {
      const other = soleCampaign(rule);
      if (other === undefined || other === id) return [];
      const message = `would never be sponsored: the rule "${rule.name}" sponsors only "${other}". First pause it, or change its condition`;
      return [{ field: 'id', message } as const];
    }),
  ],
  make({ name, id, currency: unit, budget, operationsPerUser, amountPerUser, from, until, only }) {
    const expression = namesCampaign(id);
    const ofCampaign = [
      ...datesRule(name, from, until),
      { name: `${name}: budget`, ...lifetimeLimit('PAYMASTER', unit, budget) },
      ...(operationsPerUser === ''
        ? []
        : [{ name: `${name}: operations per user`, ...lifetimeLimit('SMART_ACCOUNT', 'COUNT', operationsPerUser) }]),
      ...(amountPerUser === ''
        ? []
        : [{ name: `${name}: gas per user`, ...lifetimeLimit('SMART_ACCOUNT', unit, amountPerUser) }]),
    ];
    const binds = `Applies only to operations with the id "${id}".`;
    const message = `Only operations of the campaign "${name}" are sponsored.`;
    return {
      rules: [
        ...ofCampaign.map((rule) => ({ ...rule, when: expression, binds })),
        ...(only === 'yes' ? [{ name: `${name}: no others`, type: 'CONDITION', data: { expression, message } }] : []),
      ],
    };
  },
  leaves: ({ only, until }) => [
    only === 'yes'
      ? 'No other campaign can run at the same time: operations without its id are denied.'
      : 'The campaign limits only operations with its id. Only your other rules and the gas tank limit anyone who leaves out the id.',
    'The id is visible in the page source of the DApp: anyone with the API key can send it.',
    FREE_ACCOUNTS,
    ...(until !== '' && only === 'yes'
      ? ['After its end nothing of this DApp is sponsored, until you delete or pause its rules.']
      : []),
  ],
};
