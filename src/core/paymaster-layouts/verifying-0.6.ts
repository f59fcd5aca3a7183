import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { gasWordsV06 } from '../user-operation/gas-words.ts';
import { addressWord, byteLength, bytesTail, digits, keccak, word, wordAligned } from '../user-operation/hex-digits.ts';
import { signatureField, windowFields } from './data-fields.ts';
import { neededTerm } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';
import { modeV06 } from './mode-v06.ts';
import { windowWords } from './operation-words.ts';

/** paymaster, validUntil and validAfter as one word each, signature. */
const PAYMASTER_AND_DATA_LENGTH = 20 + 2 * 32 + 65;
/** The eleven words (values and offsets) at the start of an ABI-encoded UserOperation tuple. */
const TUPLE_HEAD_LENGTH = 11 * 32;

const tailLength = (dataLength: number): number => 32 + wordAligned(dataLength);

/**
 * The ABI encoding of the UserOperation tuple up to the length word of `paymasterAndData`. The contract hashes these
 * bytes directly from calldata. They include the offset of `signature`, so the hash depends on the length of the
 * finished `paymasterAndData`.
 */
function packedOp(op: UserOperationV06): string {
  const callDataOffset = TUPLE_HEAD_LENGTH + tailLength(byteLength(op.initCode));
  const paymasterAndDataOffset = callDataOffset + tailLength(byteLength(op.callData));
  return [
    addressWord(op.sender),
    word(op.nonce),
    word(TUPLE_HEAD_LENGTH),
    word(callDataOffset),
    gasWordsV06(op),
    word(paymasterAndDataOffset),
    word(paymasterAndDataOffset + tailLength(PAYMASTER_AND_DATA_LENGTH)),
    bytesTail(digits(op.initCode)),
    bytesTail(digits(op.callData)),
  ].join('');
}

/** eth-infinitism VerifyingPaymaster for EntryPoint v0.6. It has no tanks: its EntryPoint deposit pays. */
export const verifying06: PaymasterLayout = {
  version: 'verifying-0.6',
  title: 'eth-infinitism VerifyingPaymaster 0.6',
  entryPointVersion: '0.6',
  signerGetter: 'verifyingSigner',
  hasTanks: false,
  chainReads: ['senderNonce'],
  deployment: {
    artifact: 'VerifyingPaymaster',
    constructorArguments: ({ entryPoint, signer }) => [entryPoint, signer],
  },
  ...modeV06<SponsorshipTerms>({
    // abi.encode(uint48 validUntil, uint48 validAfter) || signature
    data: (terms, signature) => windowWords(terms) + signature,
    fields: () => [...windowFields(32), signatureField],
    // keccak256(abi.encode(bytes packedOp, chainId, paymaster, senderNonce, validUntil, validAfter))
    hash: (op, terms) => {
      const packedOpOffset = word(6 * 32);
      return keccak(
        packedOpOffset,
        word(terms.chainId),
        addressWord(terms.paymaster),
        word(neededTerm(terms, 'senderNonce')),
        windowWords(terms),
        bytesTail(packedOp(op)),
      );
    },
    getHashTypes: 'OP, uint48, uint48',
    getHashValues: (op, terms) => [op, terms.validUntil, terms.validAfter],
  }),
};
