import { id } from 'ethers';
import { above, max, min } from '../../shared/bigints.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { PackedUserOperation } from '../../shared/schema/user-operation.ts';
import type { UnusedGasPenalty } from '../user-operation/entry-point-gas.ts';
import { addressWord, digits, hashWord, keccak, word } from '../user-operation/hex-digits.ts';
import { type UserOpHashDomain, isEip7702, packedWords } from '../user-operation/user-op-hash.ts';
import { aaCodesBeforeV09, initCodeTooSmall } from './aa-codes.ts';
import { PENALTY_DIVISOR, packedEntryPoint, unusedFor } from './packed.ts';

/** Up to this much unused gas of a limit is free. Above it, the penalty applies to all unused gas of that limit. */
const FORGIVEN_GAS = 40_000n;

/** The penalty for the unused gas of one limit, in gas. */
export const penaltyOfLimit = (limit: bigint, used: bigint): bigint => {
  const unused = above(limit, used);
  return unused <= FORGIVEN_GAS ? 0n : unused / PENALTY_DIVISOR;
};

/** The highest limit with at most this penalty. */
const highestLimit = (limit: bigint, used: bigint, penalty: bigint): bigint =>
  min(limit, used + max(FORGIVEN_GAS, unusedFor(penalty)));

/** A tenth of the unused gas of each limit. */
export const forgivingPenalty: UnusedGasPenalty = {
  countsUncalledPostOp: false,
  of: ({ callGasLimit, postOpGasLimit }, callGasUsed) =>
    penaltyOfLimit(callGasLimit, callGasUsed) + penaltyOfLimit(postOpGasLimit, 0n),
  limitsWithin({ callGasLimit, postOpGasLimit }, callGasUsed, penalty) {
    const postOp = highestLimit(postOpGasLimit, 0n, penalty);
    const left = penalty - penaltyOfLimit(postOp, 0n);
    return { callGasLimit: highestLimit(callGasLimit, callGasUsed, left), postOpGasLimit: postOp };
  },
};

const textHash = (text: string): string => digits(id(text) as Hex);

const TYPE_HASH = textHash(
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,' +
    'uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
);
const DOMAIN_HEAD =
  textHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)') +
  textHash('ERC4337') +
  textHash('1');

const initCodeHash = (initCode: Hex, delegate: Address | undefined): string => {
  if (!isEip7702(initCode)) return hashWord(initCode);
  if (delegate === undefined) throw new Error('the hash of an EIP-7702 operation needs the delegate of its sender');
  return digits(keccak(digits(delegate), digits(initCode).slice(40)));
};

/** The operation's hash according to EIP-712 (domain "ERC4337", version "1"). */
export const typedHash = (op: PackedUserOperation, { chainId, entryPoint, delegate }: UserOpHashDomain): Hex => {
  const structHash = keccak(TYPE_HASH, ...packedWords(op, initCodeHash(op.initCode, delegate)));
  const domainSeparator = keccak(DOMAIN_HEAD, word(chainId), addressWord(entryPoint));
  return keccak('1901', digits(domainSeparator), digits(structHash));
};

export const entryPoint08 = packedEntryPoint({
  version: '0.8',
  address: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  accountFactory: { artifact: 'SimpleAccountFactory-0.8', address: '0x13E9ed32155810FDbd067D4522C492D6f68E5944' },
  deployment: {
    artifact: 'EntryPoint-0.8',
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
  },
  simulations: 'EntryPointSimulations-0.8',
  takesEip7702Marker: true,
  ignoresCreationOfExisting: false,
  leavesOutSuffix: false,
  takesBlockRanges: false,
  // Measured: 17,000 gas on Prague.
  unmetered: { gas: 5_700n, coldAccounts: 1n, payments: 1n },
  leastMetered: { gas: 29_600n, coldAccounts: 4n, slotChanges: 2n },
  unusedGasPenalty: forgivingPenalty,
  aaCodes: {
    ...aaCodesBeforeV09,
    AA97: {
      words: 'should call from EntryPoint',
      party: 'EntryPoint',
      meaning: 'A caller other than the EntryPoint called the SenderCreator.',
      fix: 'Use the canonical EntryPoint, and let it create the account.',
    },
    AA98: {
      words: 'invalid paymaster',
      party: 'paymaster',
      meaning: 'paymasterAndData names the zero address as paymaster.',
      fix: 'Name a paymaster, or leave paymasterAndData empty.',
    },
    AA99: initCodeTooSmall,
  },
  hash: typedHash,
});
