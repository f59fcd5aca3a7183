import { z } from 'zod';
import { type Policy, policyHash } from './policy.ts';

/** The lists of a policy, and the field that identifies an item. */
const LISTS = { contracts: 'ruleId', rules: 'ruleId', webhooks: 'webhookId' } as const;

type ListName = keyof typeof LISTS;

const listChange = z
  .strictObject({
    removed: z.array(z.string()).optional().describe('Ids'),
    put: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('Each replaces the item with its id; without such an item, it is added at the end'),
  })
  .optional();

/** How a policy differs from an earlier revision of the same DApp's policy. */
export const policyChange = z.strictObject({
  base: z.string().describe('Hash of the earlier revision'),
  fields: z.record(z.string(), z.unknown()).optional().describe('Fields with another value, except the lists'),
  contracts: listChange,
  rules: listChange,
  webhooks: listChange,
});

export type PolicyChange = z.output<typeof policyChange>;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const itemsOf = (policy: Fields, name: ListName): readonly unknown[] => {
  const items = policy[name];
  return Array.isArray(items) ? items : [];
};

const idOf = (item: unknown, name: ListName): unknown => (isFields(item) ? item[LISTS[name]] : undefined);

const names = Object.keys(LISTS) as ListName[];

/** The policy that a change makes of its base. It may be anything: only its hash shows whether it is the right one. */
export const changedPolicy = (base: unknown, change: PolicyChange): unknown => {
  const policy = { ...(isFields(base) ? base : {}), ...change.fields };
  for (const name of names) {
    const { removed = [], put = [] } = change[name] ?? {};
    if (removed.length === 0 && put.length === 0) continue;
    const gone = new Set<unknown>(removed);
    const added = new Map(put.map((item) => [idOf(item, name), item]));
    const kept = itemsOf(policy, name).flatMap((item) => {
      const id = idOf(item, name);
      if (gone.has(id)) return [];
      const next = added.get(id) ?? item;
      added.delete(id);
      return [next];
    });
    policy[name] = [...kept, ...added.values()];
  }
  return policy;
};

const listChangeOf = (base: Fields, policy: Policy, name: ListName): PolicyChange[ListName] => {
  const before = new Map(itemsOf(base, name).map((item) => [idOf(item, name), JSON.stringify(item)]));
  const put: Fields[] = [];
  for (const item of policy[name]) {
    const id = idOf(item, name);
    if (before.get(id) !== JSON.stringify(item)) put.push({ ...item });
    before.delete(id);
  }
  const removed = [...before.keys()].map(String);
  if (put.length === 0 && removed.length === 0) return undefined;
  return { ...(removed.length > 0 && { removed }), ...(put.length > 0 && { put }) };
};

/**
 * The change from an earlier revision to a policy; undefined if no such change makes exactly this policy, for example
 * because rules were moved.
 */
export const changeBetween = (
  earlier: { readonly hash: string; readonly policy: unknown },
  { hash, policy }: { readonly hash: string; readonly policy: Policy },
): PolicyChange | undefined => {
  const base = isFields(earlier.policy) ? earlier.policy : {};
  const fields = Object.entries(policy).filter(
    ([name, value]) => !(name in LISTS) && JSON.stringify(value) !== JSON.stringify(base[name]),
  );
  const lists = names.flatMap((name) => {
    const change = listChangeOf(base, policy, name);
    return change === undefined ? [] : [[name, change] as const];
  });
  const change: PolicyChange = {
    base: earlier.hash,
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
    ...Object.fromEntries(lists),
  };
  return policyHash(changedPolicy(base, change) as Policy) === hash ? change : undefined;
};
