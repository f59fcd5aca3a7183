import type { DecisionFilter } from './decision-list.ts';

/** The longest text that the engine accepts. */
export const LONGEST_TEXT = 256;

/** What the operator searches for, and the filter field for it. */
export type Search =
  | { readonly kind: 'sender' | 'hash' | 'decision' | 'text'; readonly text: string; readonly words: string }
  | { readonly kind: 'nothing' };

const KINDS = [
  { kind: 'sender', pattern: /^0x[0-9a-f]{40}$/i, words: 'Decisions for this sender.' },
  { kind: 'hash', pattern: /^0x[0-9a-f]{64}$/i, words: 'Decisions with this user operation hash.' },
  { kind: 'decision', pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, words: 'The decision with this id.' },
] as const;

/** Recognises a complete sender, userOpHash or decision id by its format. Anything else is searched for as text. */
export const searchedOf = (typed: string): Search => {
  const text = typed.trim();
  const known = KINDS.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return { kind: known.kind, text, words: known.words };
  if (text === '') return { kind: 'nothing' };
  return {
    kind: 'text',
    text,
    words: 'Decisions of this person, or with this text in hash, sender, method, contract, DApp or reason.',
  };
};

export const searchedFilter = (typed: string): DecisionFilter => {
  const found = searchedOf(typed);
  if (found.kind === 'nothing') return {};
  const text = found.text as `0x${string}`;
  return {
    sender: { sender: text },
    hash: { userOpHash: text },
    decision: { decisionId: text },
    text: { text: text.slice(0, LONGEST_TEXT) },
  }[found.kind];
};
