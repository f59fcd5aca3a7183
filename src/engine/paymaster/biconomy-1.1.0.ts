import { Interface } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import type { UserOperationV06 } from '../../shared/schema/user-operation.ts';
import { USER_OPERATION_V06_ABI } from '../user-operation/abi.ts';
import {
  addressWord,
  bytesTail,
  digits,
  hashWord,
  keccak,
  toHex,
  uint48Word,
  word,
} from '../user-operation/hex-digits.ts';
import { sponsoredMaxCostV06 } from '../user-operation/max-cost.ts';
import { neededTerm, signatureDigits, stubPaymasterAndData } from './layout.ts';
import type { PaymasterLayout, SponsorshipTerms } from './layout.ts';

const abi = new Interface([
  `function getHash(${USER_OPERATION_V06_ABI} userOp, address paymasterId, uint48 validUntil, uint48 validAfter) view returns (bytes32)`,
]);

/** Gas the contract charges a tank on top of each operation's cost: its default, for its owner may change it. */
const OVERHEAD_GAS = 12_000n;

const tankAndWindow = (terms: SponsorshipTerms): string =>
  addressWord(neededTerm(terms, 'fundingWallet')) + uint48Word(terms.validUntil) + uint48Word(terms.validAfter);

const hash = (op: UserOperationV06, terms: SponsorshipTerms): Hex =>
  keccak(
    addressWord(op.sender),
    word(op.nonce),
    hashWord(op.initCode),
    hashWord(op.callData),
    word(op.callGasLimit),
    word(op.verificationGasLimit),
    word(op.preVerificationGas),
    word(op.maxFeePerGas),
    word(op.maxPriorityFeePerGas),
    word(terms.chainId),
    addressWord(terms.paymaster),
    tankAndWindow(terms),
  );

/** paymaster || abi.encode(address paymasterId, uint48 validUntil, uint48 validAfter, bytes signature) */
const encode = (_op: UserOperationV06, terms: SponsorshipTerms, signature: Hex): Hex => {
  const signatureOffset = word(0x80);
  return toHex(digits(terms.paymaster), tankAndWindow(terms), signatureOffset, bytesTail(signatureDigits(signature)));
};

/** Biconomy VerifyingSingletonPaymaster 1.1.0 for EntryPoint v0.6: one contract, a gas tank per funding wallet. */
export const biconomy110: PaymasterLayout = {
  version: '1.1.0',
  title: 'Biconomy VerifyingSingletonPaymaster 1.1.0',
  entryPointVersion: '0.6',
  hasTanks: true,
  chainReads: [],
  deployment: {
    artifact: 'VerifyingSingletonPaymaster',
    constructorArguments: ({ owner, entryPoint, signer }) => [owner, entryPoint, signer],
  },
  hash,
  getHashCall: (op, terms) =>
    abi.encodeFunctionData('getHash', [
      { ...op, paymasterAndData: stubPaymasterAndData(biconomy110, op, terms) },
      neededTerm(terms, 'fundingWallet'),
      terms.validUntil,
      terms.validAfter,
    ]) as Hex,
  encode,
  reservedCost: (op) => sponsoredMaxCostV06(op) + OVERHEAD_GAS * op.maxFeePerGas,
};
