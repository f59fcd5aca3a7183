/** Cuts the middle out of a long key, address or hash; both ends stay comparable by eye. */
export const shorten = (text: string, head = 6, tail = 4): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
