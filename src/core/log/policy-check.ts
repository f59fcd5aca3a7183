import { type Policy, policyHash } from '../policy/policy.ts';
import { changedPolicy } from '../policy/policy-change.ts';
import type { EntryBody } from './entry.ts';

/** The policies that the entries of a log contain, by their hashes. */
export class LoggedPolicies {
  readonly #policies = new Map<string, unknown>();

  /** Undefined if no entry contains it. */
  find(hash: string | undefined): unknown {
    return this.#policies.get(hash ?? '');
  }

  /**
   * Adds the policy of an entry.
   *
   * @returns the policy; undefined if it cannot be read without an earlier entry that is missing
   */
  add({ hash, policy, change }: EntryBody<'policy'>): unknown {
    const base = this.find(change?.base);
    const added = change === undefined ? policy : base && changedPolicy(base, change);
    if (added !== undefined) this.#policies.set(hash, added);
    return this.find(hash);
  }
}

/** The policies in a log, and the policy in force after each entry. */
export class PolicyCheck {
  readonly #policies = new LoggedPolicies();
  readonly #inForce = new Map<string, string>();
  readonly #history: (readonly [paymasterId: string, hash: string])[] = [];

  /** The text of a revision; undefined if the log does not contain it. */
  find(hash: string | undefined): unknown {
    return this.#policies.find(hash);
  }

  /** The newest revision of a DApp; undefined if no entry has named one. */
  inForce(paymasterId: string): string | undefined {
    return this.#inForce.get(paymasterId);
  }

  /** Each policy that came into force, in order. */
  get history(): readonly (readonly [paymasterId: string, hash: string])[] {
    return this.#history;
  }

  /**
   * Adds a policy entry. If `isWhole` is false, the policy's text may precede this part of the log.
   * @returns what is wrong with it, in words; undefined if nothing is
   */
  add(body: EntryBody<'policy'>, isWhole: boolean): string | undefined {
    const { paymasterId, hash, change } = body;
    this.#inForce.set(paymasterId, hash);
    this.#history.push([paymasterId, hash]);
    const isNew = body.policy !== undefined || change !== undefined;
    const policy = this.#policies.add(body);
    if (policy === undefined)
      return isWhole ? `No entry before it has the policy that ${change?.base ?? hash} names` : undefined;
    if (body.policy !== undefined && change !== undefined) return 'It has a whole policy and a change';
    if (!isNew) return undefined;
    if (policyHash(policy as Policy) !== hash) return `The policy is not the one that ${hash} names`;
    const { dapp } = policy as { readonly dapp?: Partial<Policy['dapp']> };
    return dapp?.paymasterId === paymasterId ? undefined : `The policy does not belong to ${paymasterId}`;
  }
}
