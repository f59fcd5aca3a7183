/** What somebody looks for among the decisions, and what it was taken for. */
export type Searched =
  | { readonly kind: 'sender' | 'hash' | 'decision'; readonly text: string; readonly words: string }
  | { readonly kind: 'nothing'; readonly words: string };

const KINDS = [
  { kind: 'sender', pattern: /^0x[0-9a-f]{40}$/i, words: 'Taken for the address of a sender.' },
  { kind: 'hash', pattern: /^0x[0-9a-f]{64}$/i, words: 'Taken for the hash of a user operation.' },
  {
    kind: 'decision',
    pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    words: 'Taken for the id of a decision.',
  },
] as const;

/** Tells a sender, a userOpHash and a decision's id apart by their form. */
export const searchedOf = (typed: string): Searched => {
  const text = typed.trim();
  const known = KINDS.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return { kind: known.kind, text, words: known.words };
  return {
    kind: 'nothing',
    words: text === '' ? '' : 'Give a sender (0x and 40 digits), a userOpHash (0x and 64) or the id of a decision.',
  };
};
