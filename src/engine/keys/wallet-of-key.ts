import { Wallet } from 'ethers';

/** Loaded with the first signature: the wallets of ethers bring word lists, derivations and ciphers of their own. */
export const walletOfKey = (key: Buffer): Wallet => new Wallet(`0x${key.toString('hex')}`);
