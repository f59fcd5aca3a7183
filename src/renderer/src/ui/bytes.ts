const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** The size of a file as text, with three digits. */
export const bytesText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(bytes / 1000 ** power);
  return `${digits} ${UNITS[power] ?? ''}`;
};
