import { EngineError } from '../../../shared/errors.ts';
import { type Address, type Hex, addressKey } from '../../../shared/schema/hex.ts';
import { digits, toHex, word } from '../../../core/user-operation/hex-digits.ts';
import type { RpcClient } from '../rpc.ts';
import { type StateOverride, readSlot } from './eth-call.ts';
import { failSimulation } from './failure.ts';

/** The slots that are searched for the signer, which is among a contract's first variables. */
const SLOTS = Array.from({ length: 10 }, (_, slot) => slot);

/**
 * A state override in which a paymaster contract accepts another key's signatures, so that simulations do not need the
 * real key. The signer's slot is found by its value, because it differs between builds.
 *
 * @throws EngineError `GAS_ESTIMATION_FAILED` if no slot holds the signer, `CHAIN_UNREACHABLE`
 */
export const acceptInstead = async (
  rpc: RpcClient,
  contract: Address,
  { signer, standIn }: { signer: Address; standIn: Address },
): Promise<StateOverride> => {
  const values = await Promise.all(SLOTS.map((slot) => readSlot(rpc, contract, slot))).catch(failSimulation);
  const [accepted, instead] = [signer, standIn].map((address) => digits(addressKey(address))) as [string, string];
  const slots = values.flatMap((value, slot): [Hex, Hex][] => {
    const held = word(value);
    return held.includes(accepted) ? [[toHex(word(slot)), toHex(held.replace(accepted, instead))]] : [];
  });
  if (slots.length > 0) return { [contract]: { stateDiff: Object.fromEntries(slots) } };
  const fix = 'Send the gas limits with the operation, or set a bundler URL, so that the bundler estimates.';
  const message = `Gasdesk cannot simulate gas for ${contract}, because it does not know where the contract stores its signer. ${fix}`;
  throw new EngineError('GAS_ESTIMATION_FAILED', message, { fix });
};
