/** Who can fix an operation that an EntryPoint refused. */
export type AaParty = 'account' | 'factory' | 'paymaster' | 'bundler' | 'EntryPoint';

/** The meaning of an EntryPoint's error code. */
export interface AaCode {
  /** The EntryPoint's own message. */
  readonly words: string;
  readonly party: AaParty;
  readonly meaning: string;
  readonly fix: string;
}

/** AA codes by name, such as `AA21`. All come from the sources of eth-infinitism/account-abstraction. */
export type AaCodes = Readonly<Record<string, AaCode>>;

/** The codes that every EntryPoint version has. If versions have different messages, this is v0.6's message. */
export const commonAaCodes: AaCodes = {
  AA13: {
    words: 'initCode failed or OOG',
    party: 'factory',
    meaning: 'The factory reverted, has no code, or ran out of gas.',
    fix: 'Call the factory with the same data in an eth_call, and raise verificationGasLimit.',
  },
  AA14: {
    words: 'initCode must return sender',
    party: 'factory',
    meaning: 'The factory creates an account at another address than the sender.',
    fix: 'Take the sender from EntryPoint.getSenderAddress with the same initCode.',
  },
  AA15: {
    words: 'initCode must create sender',
    party: 'factory',
    meaning: 'The factory returned the sender, but there is no code at that address.',
    fix: 'Check that the factory deploys the account and does not only compute its address.',
  },
  AA20: {
    words: 'account not deployed',
    party: 'account',
    meaning: 'There is no contract at the sender, and the operation does not create one.',
    fix: 'Send the initCode or factory that creates the account; check the chain.',
  },
  AA21: {
    words: "didn't pay prefund",
    party: 'account',
    meaning: 'No paymaster pays, and the account cannot pay the maximum cost of the operation.',
    fix: 'Fund the account or its EntryPoint deposit, lower the gas limits, or ask a paymaster.',
  },
  AA22: {
    words: 'expired or not due',
    party: 'account',
    meaning: "The time window of the account's signature has not begun or is over.",
    fix: 'Sign again with another validity window.',
  },
  AA23: {
    words: 'reverted (or OOG)',
    party: 'account',
    meaning: "The account's validateUserOp reverted or ran out of gas.",
    fix: 'Read the inner reason. Often the signature has a wrong length, or verificationGasLimit is too low.',
  },
  AA24: {
    words: 'signature error',
    party: 'account',
    meaning: "The account does not accept the user's signature.",
    fix: 'Sign the final operation: any change, including one to paymasterAndData or gas, needs a new signature. Check chain id, EntryPoint and owner.',
  },
  AA25: {
    words: 'invalid account nonce',
    party: 'account',
    meaning: 'The nonce is already used, or is not the next one of its key.',
    fix: 'Read the nonce from EntryPoint.getNonce just before sending.',
  },
  AA31: {
    words: 'paymaster deposit too low',
    party: 'paymaster',
    meaning: "The paymaster's deposit at the EntryPoint is below the maximum cost of the operation.",
    fix: 'Deposit for the paymaster contract.',
  },
  AA32: {
    words: 'paymaster expired or not due',
    party: 'paymaster',
    meaning: "The validity window of the paymaster's signature has not begun or is over.",
    fix: 'Ask for new paymaster data, and send the operation sooner.',
  },
  AA33: {
    words: 'reverted (or OOG)',
    party: 'paymaster',
    meaning: "The paymaster's validatePaymasterUserOp reverted or ran out of gas.",
    fix: 'Read the inner reason. Often the gas tank is too low, the bundler is not allowed, or the data was truncated.',
  },
  AA34: {
    words: 'signature error',
    party: 'paymaster',
    meaning:
      'The paymaster contract does not accept the signature: the operation was changed after it was signed, or the contract has another signer.',
    fix: 'Send the operation exactly as it was sponsored; compare the signer of the contract with that of the chain.',
  },
  AA94: {
    words: 'gas values overflow',
    party: 'account',
    meaning: 'A gas limit or a fee is above 2^120 - 1.',
    fix: 'Send plausible gas limits and fees.',
  },
  AA95: {
    words: 'out of gas',
    party: 'bundler',
    meaning: "The bundle's transaction had too little gas for the operation.",
    fix: 'The bundler has to send the bundle with more gas. Very high gas limits make this likely.',
  },
};

/** The codes that every version before v0.9 has. From v0.9 on, separate errors replace them, or they cannot occur. */
export const aaCodesBeforeV09: AaCodes = {
  AA10: {
    words: 'sender already constructed',
    party: 'account',
    meaning: 'The operation creates an account that exists already.',
    fix: 'Leave initCode or factory empty.',
  },
  AA30: {
    words: 'paymaster not deployed',
    party: 'paymaster',
    meaning: 'There is no contract at the address of the paymaster.',
    fix: 'Check the chain, and which contract is attached to it.',
  },
  AA90: {
    words: 'invalid beneficiary',
    party: 'bundler',
    meaning: 'handleOps names the zero address as the receiver of the fees.',
    fix: 'The bundler must name its own address.',
  },
  AA91: {
    words: 'failed send to beneficiary',
    party: 'bundler',
    meaning: 'The address that receives the fees does not accept coins.',
    fix: 'The bundler must name an address that accepts coins.',
  },
  AA92: {
    words: 'internal call only',
    party: 'bundler',
    meaning: 'A function was called that only the EntryPoint itself may call.',
    fix: 'Call handleOps.',
  },
  AA93: {
    words: 'invalid paymasterAndData',
    party: 'paymaster',
    meaning: 'paymasterAndData is too short: less than an address on v0.6, less than 52 bytes later.',
    fix: "Send the complete paymasterAndData; from v0.7 on, it contains both of the paymaster's gas limits.",
  },
};

/** In v0.6 and v0.7 only. */
export const invalidAggregator: AaCode = {
  words: 'invalid aggregator',
  party: 'bundler',
  meaning: 'The bundle names an aggregator that is not valid.',
  fix: 'Send the operation without an aggregator.',
};

/** Exists from v0.8 on. */
export const initCodeTooSmall: AaCode = {
  words: 'initCode too small',
  party: 'account',
  meaning: 'initCode has fewer than 20 bytes, so it names no factory.',
  fix: 'Begin initCode with the address of the factory.',
};
