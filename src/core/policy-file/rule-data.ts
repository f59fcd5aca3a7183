import type { z } from 'zod';
import type { PolicyRule } from '../policy/policy.ts';
import { ruleTypeOf } from '../decision/rule-words.ts';
import type { Setup } from '../rules/rule.ts';
import { webhookSetup } from '../rules/webhook.ts';
import { hideCredentials, withoutCredentials, withoutUserInfo } from '../webhooks/hidden-credentials.ts';

/** Stored fields that only Gasdesk sets and that requests never contain. */
const unsendable = (sent: z.ZodType, stored: object): ReadonlySet<string> =>
  new Set(
    (sent.safeParse(stored).error?.issues ?? []).flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
    ),
  );

/** The field names of a kind's data, in order; empty if the schema is not an object. */
export const fieldsOf = (sent: z.ZodType): readonly string[] =>
  Object.keys((sent as { shape?: Readonly<Record<string, unknown>> }).shape ?? {});

/** The same value with every text in it replaced by `change(text)`. */
const withTexts = (value: unknown, change: (text: string, path: string) => string, path = ''): unknown => {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => withTexts(item, change, `${path}/${index}`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withTexts(part, change, `${path}/${key}`)]),
  );
};

/** A rule's data in the format that operators send, without credentials, for a policy file. */
export const sentData = ({ policyType, policyData }: Pick<PolicyRule, 'policyType' | 'policyData'>): object => {
  const stored = policyData as object;
  const { sent } = ruleTypeOf(policyType).setup;
  const strange = unsendable(sent, stored);
  const order = fieldsOf(sent);
  const sendable = Object.entries(stored)
    .filter(([key]) => !strange.has(key))
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  // In rules of other kinds, a text may be a link. Its query and path are not secret.
  const shown = policyType === webhookSetup.policyType ? withoutCredentials : withoutUserInfo;
  return withTexts(Object.fromEntries(sendable), shown) as object;
};

/** Converts sent data to its stored form. @param now epoch ms */
export const storedData = (setup: Setup, sent: unknown, now: number): object =>
  // Stored data is JSON, so undefined fields are removed.
  JSON.parse(JSON.stringify(setup.keep(setup.sent.parse(sent), { now, keepUrl: hideCredentials }))) as object;

/** The data, with credentials from the vault restored in URLs that have not changed. */
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
