const SCHEMES = ['https://', 'http://'] as const;

export const isWebUrl = (typed: string): boolean => /^https?:\/\/./.test(typed.trim());

/** Why this is no URL of a server; empty while it may become one. */
export const webUrlError = (typed: string): string => {
  const text = typed.trim();
  const isBegun = SCHEMES.some((scheme) => scheme.startsWith(text));
  return isBegun || isWebUrl(text) ? '' : 'A URL begins with https:// or http://.';
};
