import { type Policy, policyHash, policySchema } from './policy.ts';

export interface Revision {
  readonly policy: Policy;
  readonly hash: string;
}

const revisions = new WeakMap<object, Revision | undefined>();

const parseRevision = (stored: object): Revision | undefined => {
  try {
    const policy = policySchema.parse(stored);
    return { policy, hash: policyHash(policy) };
  } catch {
    return undefined;
  }
};

/**
 * A policy revision as it was stored, and its name; undefined if the stored value is not a policy. Each revision is
 * read once.
 */
export const readRevision = (stored: unknown): Revision | undefined => {
  if (typeof stored !== 'object' || stored === null) return undefined;
  if (!revisions.has(stored)) revisions.set(stored, parseRevision(stored));
  return revisions.get(stored);
};
