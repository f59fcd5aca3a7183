export const isAddress = (typed: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(typed.trim());

export const ENTER_ADDRESS = 'Enter an address: 0x and 40 hex digits.';

/** Why this is no address; empty while nothing is typed. */
export const addressError = (typed: string): string => (typed.trim() === '' || isAddress(typed) ? '' : ENTER_ADDRESS);
