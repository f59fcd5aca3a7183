import type { SwitchName } from '../demo/playground-scene.ts';

export interface Offer {
  readonly label: string;
  readonly sentence: string;
}

/** The visitor's actions as a user of the DApp. */
export const offers = {
  mint: {
    label: 'Mint an item',
    sentence: 'Your account holds no ether. Gasdesk sponsors the operation, and the DApp’s gas tank pays.',
  },
  mintAgain: {
    label: 'Mint again',
    sentence: 'The limit is one operation a day for each user. Move the clock by a day, and you may mint again.',
  },
  burn: { label: 'Burn an item', sentence: 'The DApp’s policy whitelists mint only. Gasdesk denies burn.' },
  newUser: { label: 'Mint as a new user', sentence: 'Makes a new key and a new account. Its limit is unused.' },
  ada: {
    label: 'Sign in as Ada',
    sentence:
      'Mints from a new account each time. The DApp’s backend vouches that it is Ada, and she has two operations a day.',
  },
  lowFee: { label: 'Mint with a fee too low', sentence: 'No bundler would accept it. Gasdesk denies it.' },
  usedNonce: {
    label: 'Mint with a used nonce',
    sentence: 'The EntryPoint would reject it. Gasdesk denies it before it reserves anything.',
  },
  noUsedNonce: {
    label: 'Mint with a used nonce',
    sentence: 'Mint an item first: an account that has done nothing has used no nonce.',
  },
  tokens: { label: 'Get 10 USDT', sentence: 'Test tokens, so that your account has something to pay with.' },
  pay: {
    label: 'Pay in USDT',
    sentence: 'Mints at a second DApp. The paymaster takes USDT from your account for the gas.',
  },
} as const satisfies Record<string, Offer>;

const HOUR_SECONDS = 3_600;

/** The answer to moving the clock. @param now the time after it, epoch ms */
export const forwardWords = (seconds: number, now: number): { readonly title: string; readonly sentence: string } => {
  const time = new Date(now).toISOString().slice(0, 16).replace('T', ' ');
  const isHour = seconds === HOUR_SECONDS;
  const limits = isHour ? 'A limit per day counts on.' : 'The limits per day have restarted: you can mint again.';
  return {
    title: isHour ? 'One hour later' : 'One day later',
    sentence: `It is ${time} UTC, for the chain and for Gasdesk. ${limits}`,
  };
};

/** The visitor's actions as the operator, or as the DApp's backend. */
export const switches: Readonly<Record<SwitchName, Offer>> = {
  pause: { label: 'Pause all sponsorship', sentence: 'Gasdesk signs nothing until you resume sponsorship.' },
  tank: { label: 'Empty the gas tank', sentence: 'The contract has no balance for this DApp. Gasdesk denies.' },
  breaker: {
    label: 'Lower the burn-rate breaker',
    sentence: 'Gasdesk may sign for 1 wei an hour. Every operation costs more.',
  },
  newAccounts: {
    label: 'Do not pay for new accounts',
    sentence: 'A user’s first operation deploys their account. Gasdesk denies it.',
  },
  webhook: {
    label: 'The DApp’s webhook says no',
    sentence: 'Gasdesk asks the DApp’s own backend about each operation, and follows its answer.',
  },
  node: {
    label: 'The node is unreachable',
    sentence: 'Gasdesk cannot read the chain. It may sign for 1 wei until the node answers.',
  },
};
