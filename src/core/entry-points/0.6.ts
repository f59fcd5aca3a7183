import { ZeroHash } from 'ethers';
import type { Hex } from '../../shared/schema/hex.ts';
import { type UserOperation, type UserOperationV06, isV06 } from '../../shared/schema/user-operation.ts';
import { gasWordsV06 } from '../user-operation/gas-words.ts';
import { addressWord, digits, hashWord, keccak, toHex, word } from '../user-operation/hex-digits.ts';
import { readV06 } from '../user-operation/read-operation.ts';
import { bindToEntryPoint } from '../user-operation/user-op-hash.ts';
import { aaCodesBeforeV09, commonAaCodes, invalidAggregator } from './aa-codes.ts';
import type { EntryPoint } from './entry-point.ts';

const requireV06 = (op: UserOperation): UserOperationV06 => {
  if (isV06(op)) return op;
  throw new Error('this operation is of a later EntryPoint than v0.6');
};

export const entryPoint06: EntryPoint = {
  version: '0.6',
  address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  accountFactory: { artifact: 'SimpleAccountFactory', address: '0x9406Cc6185a346906296840746125a0E44976454' },
  deployment: { artifact: 'EntryPoint', salt: ZeroHash as Hex },
  isPacked: false,
  emptyFields: { initCode: '0x', paymasterAndData: '0x' },
  creation: (factory, factoryData) => ({ initCode: toHex(digits(factory), digits(factoryData)) }),
  takesEip7702Marker: false,
  ignoresCreationOfExisting: false,
  leavesOutSuffix: false,
  takesBlockRanges: false,
  callsExecuteUserOp: false,
  // Measured: 19,300 gas on Prague. The payment is the beneficiary's.
  unmetered: { gas: 7_900n, coldAccounts: 1n, payments: 1n },
  leastMetered: { gas: 36_600n, coldAccounts: 4n, slotChanges: 2n },
  leastVerification: { gas: 25_700n, coldAccounts: 2n, slotChanges: 2n, newSlots: 1n },
  unusedGasPenalty: { countsUncalledPostOp: false, of: () => 0n, limitsWithin: (limits) => limits },
  aaCodes: {
    ...commonAaCodes,
    ...aaCodesBeforeV09,
    AA40: {
      words: 'over verificationGasLimit',
      party: 'account',
      meaning: 'Validation of account and paymaster together used more gas than verificationGasLimit.',
      fix: 'Raise verificationGasLimit before the paymaster signs.',
    },
    AA41: {
      words: 'too little verificationGas',
      party: 'account',
      meaning: "The account's validation left no gas for the paymaster's validation.",
      fix: 'Raise verificationGasLimit before the paymaster signs.',
    },
    AA50: {
      words: 'postOp reverted',
      party: 'paymaster',
      meaning: "The paymaster's postOp reverted, for example because it could not take tokens.",
      fix: "Check the sender's balance and allowance of the token.",
    },
    AA51: {
      words: 'prefund below actualGasCost',
      party: 'paymaster',
      meaning: 'The operation cost more than its prefund, usually because postOp used too much gas.',
      fix: 'Raise verificationGasLimit, which bounds postOp too.',
    },
    AA96: invalidAggregator,
  },
  read: (partial) => readV06(partial, entryPoint06),
  hash: (given, domain) => {
    const op = requireV06(given);
    const inner = keccak(
      addressWord(op.sender),
      word(op.nonce),
      hashWord(op.initCode),
      hashWord(op.callData),
      gasWordsV06(op),
      hashWord(op.paymasterAndData),
    );
    return bindToEntryPoint(inner, domain);
  },
};
