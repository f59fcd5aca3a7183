import type { SwitchName } from '../demo/playground-scene.ts';

export interface Offer {
  readonly label: string;
  readonly sentence: string;
}

/** The visitor's actions as a user of the DApp. */
export const offers = {
  mint: {
    label: 'Mint an item',
    sentence: 'Your account holds no ether. The desk sponsors the operation, and the DApp’s gas tank pays.',
  },
  mintAgain: {
    label: 'Mint again',
    sentence: 'The limit is one operation a day for each user. Move the clock by a day, and you may mint again.',
  },
  burn: { label: 'Burn an item', sentence: 'The DApp’s policy whitelists mint only. The desk denies burn.' },
  newUser: { label: 'Mint as a new user', sentence: 'Makes a new key and a new account. Its limit is unused.' },
  lowFee: { label: 'Mint with too low a fee', sentence: 'No bundler would take it. The desk denies it.' },
  usedNonce: {
    label: 'Mint with a used nonce',
    sentence: 'The EntryPoint would reject it. The desk denies it before it reserves anything.',
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

/** The visitor's actions as the operator, or as the DApp's backend. */
export const switches: Readonly<Record<SwitchName, Offer>> = {
  pause: { label: 'Pause all sponsorship', sentence: 'The desk signs nothing until you resume it.' },
  tank: { label: 'Empty the gas tank', sentence: 'The contract holds no money for this DApp. The desk denies.' },
  breaker: {
    label: 'Lower the burn-rate breaker',
    sentence: 'The desk may sign for 1 wei an hour. Every operation takes more.',
  },
  newAccounts: {
    label: 'Do not pay for new accounts',
    sentence: 'A user’s first operation deploys their account. The desk denies it.',
  },
  webhook: {
    label: 'The DApp’s webhook says no',
    sentence: 'The desk asks the DApp’s own backend about each operation, and obeys it.',
  },
  node: {
    label: 'The node is unreachable',
    sentence: 'The desk cannot ask the chain. It may sign for 1 wei until the node answers.',
  },
};
