import { type Policy, policyHash } from '../policy/policy.ts';
import type { EntryBody } from './entry.ts';

/** The policies in a log, and the policy in force after each entry. */
export class PolicyCheck {
  readonly #policies = new Map<string, unknown>();
  readonly #inForce = new Map<string, string>();
  readonly #history: (readonly [paymasterId: string, hash: string])[] = [];

  /** The text of a revision; undefined if the log does not contain it. */
  find(hash: string | undefined): unknown {
    return this.#policies.get(hash ?? '');
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
  add({ paymasterId, hash, policy }: EntryBody<'policy'>, isWhole: boolean): string | undefined {
    this.#inForce.set(paymasterId, hash);
    this.#history.push([paymasterId, hash]);
    if (policy === undefined) {
      const isKnown = this.#policies.has(hash) || !isWhole;
      return isKnown ? undefined : `No entry before it has the policy that ${hash} names`;
    }
    this.#policies.set(hash, policy);
    if (policyHash(policy as Policy) !== hash) return `The policy is not the one that ${hash} names`;
    const { dapp } = policy as { readonly dapp?: Partial<Policy['dapp']> };
    return dapp?.paymasterId === paymasterId ? undefined : `The policy does not belong to ${paymasterId}`;
  }
}
