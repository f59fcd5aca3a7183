import { id } from 'ethers';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { isV06 } from '../../shared/schema/user-operation.ts';
import type {
  EntryPointVersion,
  PackedUserOperation,
  UserOperation,
  UserOperationV06,
  UserOperationV07,
} from '../../shared/schema/user-operation.ts';
import { gasWordsV06 } from './gas-words.ts';
import { addressWord, byteLength, digits, hashWord, keccak, word } from './hex-digits.ts';
import { packUserOperation } from './pack-user-operation.ts';

/** Where an operation is to run: its hash holds for one EntryPoint on one chain only. */
export interface UserOpHashDomain {
  chainId: number;
  entryPoint: Address;
}

/** The domain of EntryPoint v0.8, whose hash of an EIP-7702 operation also holds the sender's delegate. */
export interface UserOpHashDomainV08 extends UserOpHashDomain {
  /** The address behind 0xef0100 in the sender's code; needed when `isEip7702` says so, else not read. */
  delegate?: Address;
}

const textHash = (text: string): string => digits(id(text) as Hex);

const TYPE_HASH = textHash(
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,' +
    'uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
);
const DOMAIN_HEAD =
  textHash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)') +
  textHash('ERC4337') +
  textHash('1');

const EIP7702_MARKER = '7702'.padEnd(40, '0');

/** keccak256(abi.encode(inner, entryPoint, chainId)), the outer hash of EntryPoint v0.6 and v0.7. */
const bindToEntryPoint = (inner: Hex, { entryPoint, chainId }: UserOpHashDomain): Hex =>
  keccak(digits(inner), addressWord(entryPoint), word(chainId));

/** The words v0.7 and v0.8 hash; they differ only in what stands for the initCode. */
const packedWords = (op: PackedUserOperation, initCodeHash: string): string[] => [
  addressWord(op.sender),
  word(op.nonce),
  initCodeHash,
  hashWord(op.callData),
  digits(op.accountGasLimits),
  word(op.preVerificationGas),
  digits(op.gasFees),
  hashWord(op.paymasterAndData),
];

function userOpHashV06(op: UserOperationV06, domain: UserOpHashDomain): Hex {
  const inner = keccak(
    addressWord(op.sender),
    word(op.nonce),
    hashWord(op.initCode),
    hashWord(op.callData),
    gasWordsV06(op),
    hashWord(op.paymasterAndData),
  );
  return bindToEntryPoint(inner, domain);
}

function userOpHashV07(op: UserOperationV07, domain: UserOpHashDomain): Hex {
  const packed = packUserOperation(op);
  return bindToEntryPoint(keccak(...packedWords(packed, hashWord(packed.initCode))), domain);
}

/**
 * True if EntryPoint v0.8 takes the initCode as that of an EIP-7702 account: it begins with 0x7702 and zeros up to
 * 20 bytes, or is shorter and equals that marker once filled up with zeros.
 */
export const isEip7702 = (initCode: Hex): boolean =>
  byteLength(initCode) >= 2 && digits(initCode).slice(0, 40).padEnd(40, '0') === EIP7702_MARKER;

function initCodeHashV08(initCode: Hex, delegate: Address | undefined): string {
  if (!isEip7702(initCode)) return hashWord(initCode);
  if (delegate === undefined) throw new Error('the hash of an EIP-7702 operation needs the delegate of its sender');
  return digits(keccak(digits(delegate), digits(initCode).slice(40)));
}

function userOpHashV08(op: UserOperationV07, { chainId, entryPoint, delegate }: UserOpHashDomainV08): Hex {
  const packed = packUserOperation(op);
  const structHash = keccak(TYPE_HASH, ...packedWords(packed, initCodeHashV08(packed.initCode, delegate)));
  const domainSeparator = keccak(DOMAIN_HEAD, word(chainId), addressWord(entryPoint));
  return keccak('1901', digits(domainSeparator), digits(structHash));
}

/**
 * What `EntryPoint.getUserOpHash` returns, by EntryPoint version; `signature` does not enter it. v0.8 is EIP-712
 * (domain "ERC4337", version "1") and throws for an EIP-7702 operation without `delegate`; v0.7 and v0.8 throw
 * RangeError where `packUserOperation` does.
 * @example userOpHash['0.6'](op, { chainId: 1, entryPoint })
 */
export const userOpHash = {
  '0.6': userOpHashV06,
  '0.7': userOpHashV07,
  '0.8': userOpHashV08,
} satisfies Record<EntryPointVersion, unknown>;

/** {@link userOpHash} of an operation whose generation is known only when it runs. Throws as that does. */
export const hashUserOperation = (version: EntryPointVersion, op: UserOperation, domain: UserOpHashDomainV08): Hex => {
  if (isV06(op)) return userOpHash['0.6'](op, domain);
  return version === '0.8' ? userOpHash[version](op, domain) : userOpHash['0.7'](op, domain);
};
