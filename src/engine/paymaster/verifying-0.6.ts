import { Interface } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../user-operation/abi.ts';
import {
  addressWord,
  byteLength,
  bytesTail,
  digits,
  keccak,
  toHex,
  uint48Word,
  word,
  wordAligned,
} from '../user-operation/hex-digits.ts';
import { sponsoredMaxCostV06 } from '../user-operation/max-cost.ts';
import { neededTerm, signatureDigits, stubPaymasterAndData } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';

const abi = new Interface([
  `function getHash(${USER_OPERATION_V06_ABI} userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)`,
]);

/** paymaster, validUntil and validAfter in a word each, signature. */
const PAYMASTER_AND_DATA_LENGTH = 20 + 2 * 32 + 65;
/** The eleven words (values and offsets) that open the ABI encoding of a UserOperation tuple. */
const TUPLE_HEAD_LENGTH = 11 * 32;

const tailLength = (dataLength: number): number => 32 + wordAligned(dataLength);

/**
 * The ABI encoding of the UserOperation tuple, cut off before the length word of `paymasterAndData`: what the
 * contract hashes straight out of calldata. The offset of `signature` is inside, so the length of the finished
 * `paymasterAndData` enters the hash.
 */
function packedOp(op: UserOperationV06): string {
  const callDataOffset = TUPLE_HEAD_LENGTH + tailLength(byteLength(op.initCode));
  const paymasterAndDataOffset = callDataOffset + tailLength(byteLength(op.callData));
  return [
    addressWord(op.sender),
    word(op.nonce),
    word(TUPLE_HEAD_LENGTH),
    word(callDataOffset),
    word(op.callGasLimit),
    word(op.verificationGasLimit),
    word(op.preVerificationGas),
    word(op.maxFeePerGas),
    word(op.maxPriorityFeePerGas),
    word(paymasterAndDataOffset),
    word(paymasterAndDataOffset + tailLength(PAYMASTER_AND_DATA_LENGTH)),
    bytesTail(digits(op.initCode)),
    bytesTail(digits(op.callData)),
  ].join('');
}

const window = (terms: SponsorshipTerms): string => uint48Word(terms.validUntil) + uint48Word(terms.validAfter);

/** keccak256(abi.encode(bytes packedOp, chainId, paymaster, senderNonce, validUntil, validAfter)) */
const hash = (op: UserOperationV06, terms: SponsorshipTerms): Hex => {
  const packedOpOffset = word(6 * 32);
  return keccak(
    packedOpOffset,
    word(terms.chainId),
    addressWord(terms.paymaster),
    word(neededTerm(terms, 'senderNonce')),
    window(terms),
    bytesTail(packedOp(op)),
  );
};

/** eth-infinitism VerifyingPaymaster for EntryPoint v0.6: no tanks, the contract's EntryPoint deposit pays. */
export const verifying06: PaymasterLayout = {
  version: 'verifying-0.6',
  title: 'eth-infinitism VerifyingPaymaster 0.6',
  entryPointVersion: '0.6',
  hasTanks: false,
  chainReads: ['senderNonce'],
  deployment: {
    artifact: 'VerifyingPaymaster',
    constructorArguments: ({ entryPoint, signer }) => [entryPoint, signer],
  },
  hash,
  getHashCall: (op, terms) =>
    abi.encodeFunctionData('getHash', [
      { ...op, paymasterAndData: stubPaymasterAndData(verifying06, op, terms) },
      terms.validUntil,
      terms.validAfter,
    ]) as Hex,
  encode: (_op, terms, signature) => toHex(digits(terms.paymaster), window(terms), signatureDigits(signature)),
  reservedCost: sponsoredMaxCostV06,
};
