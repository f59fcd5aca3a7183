import { checkpointText } from '../../src/core/log/checkpoint.ts';
import type { LogReport } from '../../src/core/log/log-report.ts';
import { CompactTree, leafHash } from '../../src/core/log/merkle-tree.ts';
import { signedNote } from '../../src/core/log/signed-note.ts';
import { LogVerifier } from '../../src/core/log/verify.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';
import { version } from '../../src/engine/base/version.ts';
import { logCrypto, publicKeyOf, signEd25519 } from '../../src/engine/log/ed25519.ts';
import { createRehash } from './rehashed.ts';

const ORIGIN = 'gasdesk/forged';
const POSITION = /^\{"entry":\d+,/;

/** Someone who has the log's key: what they write is signed, and every hash fits. */
export const createForger = (privateKey: Uint8Array) => {
  const key = { name: ORIGIN, publicKey: publicKeyOf(privateKey) };
  return {
    /** Rewrites positions and hashes of entries, signs them, and verifies the result. */
    verify(entries: readonly string[]): LogReport {
      const rehash = createRehash();
      const tree = new CompactTree(sha256);
      const verifier = new LogVerifier({ key, crypto: logCrypto, engine: version, withSignatures: false });
      for (const [position, entry] of entries.entries()) {
        const text = rehash(entry.replace(POSITION, `{"entry":${position},`));
        const bytes = Buffer.from(text);
        tree.append(leafHash(bytes, sha256));
        verifier.add({ text, bytes });
      }
      const head = checkpointText({ origin: ORIGIN, size: tree.size, root: tree.root() });
      return verifier.finish(signedNote(head, key, sha256, (message) => signEd25519(privateKey, message)));
    },
  };
};
