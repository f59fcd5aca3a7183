import { hashedPaymasterAndData } from '../user-operation/paymaster-signature.ts';
import { forgivingPenalty, typedHash } from './0.8.ts';
import { initCodeTooSmall } from './aa-codes.ts';
import { packedEntryPoint } from './packed.ts';

/**
 * EntryPoint v0.9. Its operation hash does not cover the paymaster's signature if the signature is a suffix of the
 * paymaster data.
 */
export const entryPoint09 = packedEntryPoint({
  version: '0.9',
  address: '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
  accountFactory: { artifact: 'SimpleAccountFactory-0.9' },
  deployment: { artifact: 'EntryPoint-0.9' },
  simulations: 'EntryPointSimulations-0.9',
  takesEip7702Marker: true,
  ignoresCreationOfExisting: true,
  leavesOutSuffix: true,
  takesBlockRanges: true,
  // Measured with the build on public chains: 17,100 gas on Prague.
  unmetered: { gas: 5_700n, coldAccounts: 1n, payments: 1n },
  leastMetered: { gas: 29_600n, coldAccounts: 4n, slotChanges: 2n },
  unusedGasPenalty: forgivingPenalty,
  aaCodes: {
    AA27: {
      words: 'outside valid block range',
      party: 'account',
      meaning: "The block range of the account's signature has not begun or is over.",
      fix: 'Sign again for other blocks.',
    },
    AA35: {
      words: 'malformed paymaster data',
      party: 'paymaster',
      meaning: "The paymaster's validatePaymasterUserOp answered with something other than a context and a word.",
      fix: 'Check which contract is attached to the chain, and that it is of this EntryPoint.',
    },
    AA36: {
      words: 'over pmVerificationGasLimit',
      party: 'paymaster',
      meaning: "The paymaster's validation used more gas than paymasterVerificationGasLimit.",
      fix: 'Raise paymasterVerificationGasLimit before the paymaster signs.',
    },
    AA37: {
      words: 'paymaster inval block range',
      party: 'paymaster',
      meaning: "The block range of the paymaster's signature has not begun or is over.",
      fix: 'Ask for new paymaster data, and send the operation sooner.',
    },
    AA99: initCodeTooSmall,
  },
  hash: (op, domain) => typedHash({ ...op, paymasterAndData: hashedPaymasterAndData(op.paymasterAndData) }, domain),
});
