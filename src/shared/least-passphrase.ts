/** The shortest passphrase that is taken for something new (NIST SP 800-63B, 3.1.1); scrypt makes each guess cost much. */
export const leastPassphrase = 8;
