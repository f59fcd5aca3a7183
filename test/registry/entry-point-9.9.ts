import { entryPoint08 } from '../../src/core/entry-points/0.8.ts';
import { packedEntryPoint } from '../../src/core/entry-points/packed.ts';
import { hashWord, keccak } from '../../src/core/user-operation/hex-digits.ts';
import { bindToEntryPoint, packedWords } from '../../src/core/user-operation/user-op-hash.ts';
import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** An EntryPoint that the product does not have, with a hash and a code of its own. */
export const entryPoint99 = packedEntryPoint({
  ...entryPoint08,
  version: String('9.9') as EntryPointVersion,
  address: `0x${'90'.repeat(20)}`,
  simulations: 'EntryPointSimulations-0.8',
  takesEip7702Marker: false,
  aaCodes: { AA89: { words: 'made up', party: 'bundler', meaning: 'Nothing.', fix: 'Wait.' } },
  hash: (op, domain) => bindToEntryPoint(keccak('99', ...packedWords(op, hashWord(op.initCode))), domain),
});
