import type { z } from 'zod';
import type { PolicyRule } from '../policy/policy.ts';
import { ruleTypeOf } from '../decision/rule-words.ts';
import type { Setup } from '../rules/rule.ts';
import { webhookSetup } from '../rules/webhook.ts';
import { hideCredentials, withoutCredentials, withoutUserInfo } from '../webhooks/hidden-credentials.ts';

/** Stored fields that only the desk sets. Requests never contain them. */
const unsendable = (sent: z.ZodType, stored: object): ReadonlySet<string> =>
  new Set(
    (sent.safeParse(stored).error?.issues ?? []).flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
    ),
  );

/** The fields in the data of a kind, in order, if its schema is one of fields. */
export const fieldsOf = (sent: z.ZodType): readonly string[] =>
  Object.keys((sent as { shape?: Readonly<Record<string, unknown>> }).shape ?? {});

/** The same value with every text in it changed. */
const withTexts = (value: unknown, change: (text: string, path: string) => string, path = ''): unknown => {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => withTexts(item, change, `${path}/${index}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withTexts(part, change, `${path}/${key}`)]),
  );
};

/** A rule's data as operators send it, without credentials, for a policy file. */
export const sentData = ({ policyType, policyData }: Pick<PolicyRule, 'policyType' | 'policyData'>): object => {
  const stored = policyData as object;
  const { sent } = ruleTypeOf(policyType).setup;
  const strange = unsendable(sent, stored);
  const order = fieldsOf(sent);
  const sendable = Object.entries(stored)
    .filter(([key]) => !strange.has(key))
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  // Texts of other rules may be links, which are not secret.
  const shown = policyType === webhookSetup.policyType ? withoutCredentials : withoutUserInfo;
  return withTexts(Object.fromEntries(sendable), shown) as object;
};

/** The stored form of sent data. @param now epoch ms */
export const storedData = (setup: Setup, sent: unknown, now: number): object =>
  // Stored data is JSON: an undefined field is missing.
  JSON.parse(JSON.stringify(setup.keep(setup.sent.parse(sent), { now, keepUrl: hideCredentials }))) as object;

/** The data with the vault's credentials for URLs that have not changed. */
export const withCredentialsOf = (data: unknown, current: unknown): unknown => {
  const known = new Map<string, string>();
  withTexts(current, (text, path) => {
    known.set(path, text);
    return text;
  });
  return withTexts(data, (text, path) => {
    const before = known.get(path);
    if (before === undefined) return text;
    return [withoutCredentials(before), withoutUserInfo(before)].includes(text) ? before : text;
  });
};
