/** Minimum length of a new passphrase (NIST SP 800-63B, 3.1.1). scrypt makes each guess expensive. */
export const leastPassphrase = 8;
