import type { Address, Hex } from '../../../shared/schema/hex.ts';
import { addressWord, keccak, toHex, word } from '../../../core/user-operation/hex-digits.ts';
import type { StateOverride } from './eth-call.ts';

/** Half of the maximum deposit (uint112), so that a simulated operation can add deposits. */
const AMPLE_WEI = 1n << 111n;

/** `mapping(address => DepositInfo) deposits`, the first variable of the StakeManager of every EntryPoint. */
const DEPOSITS_SLOT = 0;

/**
 * Possible slots of a paymaster's mapping from funding wallet to tank, which differ between builds of a contract. The
 * tank is filled at each of them. This is harmless, because nothing reads a hashed slot that is not the tank's.
 */
const TANK_SLOTS = Array.from({ length: 10 }, (_, slot) => slot);

/** The slot of `key`'s value in the mapping declared at `slot` (Solidity storage layout). */
const mappingSlot = (key: Address, slot: number): Hex => keccak(addressWord(key), word(slot));

/**
 * The value of a filled storage slot. The deposit is in the lowest bits of a DepositInfo, whose other fields are not
 * read.
 */
const ample = toHex(word(AMPLE_WEI));

/**
 * A state override in which the EntryPoint deposits of `payers` and the funding wallet's tank suffice, because the gas
 * that an operation needs does not depend on who can pay for it.
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
