/** Shortens a long key, address or hash in the middle. Both ends remain, for comparing by eye. */
export const shorten = (text: string, head = 6, tail = 4): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
