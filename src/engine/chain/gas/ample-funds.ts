import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { addressWord, keccak, toHex, word } from '../../../core/user-operation/hex-digits.ts';
import type { StateOverride } from './eth-call.ts';

/** Half of what fits in a deposit (uint112), so that what a simulated operation pays in still fits. */
const AMPLE_WEI = 1n << 111n;

/** `mapping(address => DepositInfo) deposits`, the first variable of the StakeManager of every EntryPoint. */
const DEPOSITS_SLOT = 0;

/**
 * The slot of a paymaster's mapping from funding wallet to tank differs between builds of the same contract, so the
 * tank is filled wherever it may be: a hashed slot that is no tank is read by nobody.
 */
const TANK_SLOTS = Array.from({ length: 10 }, (_, slot) => slot);

/** The slot of `key`'s value in the mapping declared at `slot` (Solidity's storage layout). */
const mappingSlot = (key: Address, slot: number): Hex => keccak(addressWord(key), word(slot));

/** All at the width of a storage slot; a DepositInfo's deposit is in its lowest bits, and nothing else of it is read. */
const ample = toHex(word(AMPLE_WEI));

/**
 * The state in which neither the deposits of `payers` in the EntryPoint nor the funding wallet's tank stands in the way
 * of an operation: whether there is enough money is another question than how much gas it takes.
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
