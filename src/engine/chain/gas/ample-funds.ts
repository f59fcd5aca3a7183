import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { addressWord, keccak, toHex, word } from '../../../core/user-operation/hex-digits.ts';
import type { StateOverride } from './eth-call.ts';

/** Half of the maximum deposit (uint112), so that additional deposits of a simulated operation still fit. */
const AMPLE_WEI = 1n << 111n;

/** `mapping(address => DepositInfo) deposits`, the first variable of the StakeManager of every EntryPoint. */
const DEPOSITS_SLOT = 0;

/**
 * The slot of a paymaster's mapping from funding wallet to tank differs between builds of one contract. So the tank is
 * filled at every possible slot: nothing reads a hashed slot that is not a tank.
 */
const TANK_SLOTS = Array.from({ length: 10 }, (_, slot) => slot);

/** The slot of `key`'s value in the mapping declared at `slot` (Solidity's storage layout). */
const mappingSlot = (key: Address, slot: number): Hex => keccak(addressWord(key), word(slot));

/** Fills a storage slot. A DepositInfo's deposit is in the lowest bits, and nothing else of it is read. */
const ample = toHex(word(AMPLE_WEI));

/**
 * State in which the EntryPoint deposits of `payers` and the funding wallet's tank are sufficient. Enough money and
 * required gas are separate questions.
 */
export const ampleFunds = (
  entryPoint: Address,
  payers: readonly Address[],
  tank: { paymaster: Address; fundingWallet: Address } | undefined,
): StateOverride => ({
  [entryPoint]: { stateDiff: Object.fromEntries(payers.map((payer) => [mappingSlot(payer, DEPOSITS_SLOT), ample])) },
  ...(tank && {
    [tank.paymaster]: {
      stateDiff: Object.fromEntries(TANK_SLOTS.map((slot) => [mappingSlot(tank.fundingWallet, slot), ample])),
    },
  }),
});
