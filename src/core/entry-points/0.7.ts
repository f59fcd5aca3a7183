import { above, min } from '../../shared/bigints.ts';
import type { UnusedGasPenalty } from '../user-operation/entry-point-gas.ts';
import { hashWord, keccak } from '../user-operation/hex-digits.ts';
import { bindToEntryPoint, packedWords } from '../user-operation/user-op-hash.ts';
import { aaCodesBeforeV09, invalidAggregator } from './aa-codes.ts';
import { PENALTY_DIVISOR, packedEntryPoint, unusedFor } from './packed.ts';

/** A tenth of the unused gas of both limits together. The postOp limit counts even if postOp is not called. */
const unusedGasPenalty: UnusedGasPenalty = {
  countsUncalledPostOp: true,
  of: ({ callGasLimit, postOpGasLimit }, callGasUsed) =>
    above(callGasLimit + postOpGasLimit, callGasUsed) / PENALTY_DIVISOR,
  limitsWithin({ callGasLimit, postOpGasLimit }, callGasUsed, penalty) {
    const unused = unusedFor(penalty);
    const postOp = min(postOpGasLimit, unused);
    return { callGasLimit: min(callGasLimit, callGasUsed + unused - postOp), postOpGasLimit: postOp };
  },
};

export const entryPoint07 = packedEntryPoint({
  version: '0.7',
  address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  accountFactory: { artifact: 'SimpleAccountFactory-0.7', address: '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985' },
  deployment: {
    artifact: 'EntryPoint-0.7',
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
  },
  simulations: 'EntryPointSimulations-0.7',
  takesEip7702Marker: false,
  // Measured: 18,450 gas on Prague.
  unmetered: { gas: 7_100n, coldAccounts: 1n, payments: 1n },
  leastMetered: { gas: 29_600n, coldAccounts: 4n, slotChanges: 2n },
  unusedGasPenalty,
  aaCodes: { ...aaCodesBeforeV09, AA96: invalidAggregator },
  ignoresCreationOfExisting: false,
  leavesOutSuffix: false,
  takesBlockRanges: false,
  hash: (op, domain) => bindToEntryPoint(keccak(...packedWords(op, hashWord(op.initCode))), domain),
});
