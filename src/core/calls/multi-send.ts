import type { Address } from '../../shared/schema/hex.ts';
import type { AbiReader } from './abi-reader.ts';
import { readOperation, type AccountCall } from './account-call.ts';
import { DecodeError } from './decode-error.ts';

/** How deployed MultiSends differ. */
export interface MultiSend {
  /** MultiSendCallOnly reverts on an inner delegatecall. */
  allowsDelegatecall: boolean;
  /** From 1.5.0 on, a zero target means the account. */
  zeroTargetIsAccount: boolean;
}

const V1_3: MultiSend = { allowsDelegatecall: true, zeroTargetIsAccount: false };
const V1_3_CALL_ONLY: MultiSend = { allowsDelegatecall: false, zeroTargetIsAccount: false };
const V1_5: MultiSend = { allowsDelegatecall: true, zeroTargetIsAccount: true };
const V1_5_CALL_ONLY: MultiSend = { allowsDelegatecall: false, zeroTargetIsAccount: true };

/**
 * Safe's deployments (npm @safe-global/safe-deployments), lower case. Only these are known to make exactly the calls
 * that their data lists.
 */
const DEPLOYMENTS: ReadonlyMap<string, MultiSend> = new Map([
  ['0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761', V1_3],
  ['0x40a2accbd92bca938b02010e17a5b8929b49130d', V1_3_CALL_ONLY],
  // 1.3.0, deployed with EIP-155 replay protection
  ['0x998739bfdaadde7c933b942a68053933098f9eda', V1_3],
  ['0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b', V1_3_CALL_ONLY],
  // 1.4.1 behaves like 1.3.0
  ['0x38869bf66a61cf6bdb996a6ae40d5853fd43b526', V1_3],
  ['0x9641d764fc13c8b624c04430c7356c1c7c8102e2', V1_3_CALL_ONLY],
  ['0x218543288004cd07832472d464648173c77d7eb7', V1_5],
  ['0xa83c336b20401af773b6219ba5027174338d1836', V1_5_CALL_ONLY],
]);

const MULTI_SEND = '0x8d80ff0a'; // multiSend(bytes)
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
const HEADER = 85; // uint8 operation, address target, uint256 value, uint256 data length, packed

/** The properties of the MultiSend at `target` (lower case); undefined if there is no known MultiSend. */
export const multiSendAt = (target: Address): MultiSend | undefined => DEPLOYMENTS.get(target);

/**
 * The calls of a delegatecall to the MultiSend `contract` with `data`. The contract does not check its input: if the
 * last entry claims too much data, or bytes trail, it continues reading from memory. So only data of exactly the right
 * length is accepted.
 */
export const unpackMultiSend = (data: AbiReader, contract: MultiSend, account: Address): AccountCall[] => {
  if (data.length < 4 || data.slice(0, 4).hex() !== MULTI_SEND) {
    throw new DecodeError('UNKNOWN_SELECTOR', 'A delegatecall to MultiSend is not to multiSend(bytes).');
  }
  const transactions = data.slice(4).bytes(0);
  const calls: AccountCall[] = [];
  let position = 0;
  while (position < transactions.length) {
    const call = readEntry(transactions.slice(position), contract, account);
    calls.push(call);
    position += HEADER + call.data.length;
  }
  return calls;
};

const readEntry = (entry: AbiReader, contract: MultiSend, account: Address): AccountCall => {
  const operation = readOperation(Number(entry.slice(0, 1).hex()));
  if (operation === 'delegatecall' && !contract.allowsDelegatecall) {
    throw new DecodeError('UNKNOWN_EXECUTION_MODE', 'MultiSendCallOnly refuses the delegatecall it is given.');
  }
  const target = entry.packedAddress(1);
  return {
    target: target === ZERO_ADDRESS && contract.zeroTargetIsAccount ? account : target,
    value: operation === 'call' ? entry.uint256(21) : 0n,
    data: entry.slice(HEADER, entry.size(53)),
    operation,
  };
};
