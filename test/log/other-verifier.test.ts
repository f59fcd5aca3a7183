import { createPublicKey } from 'node:crypto';
import { verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js';
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js';
import { expect, test } from 'vitest';
import { readEntryProof } from '../../src/core/log/tlog-proof.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

/** What stands before the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

type SigstoreEntry = Parameters<typeof verifyCheckpoint>[0];
type SigstoreLog = Parameters<typeof verifyCheckpoint>[1][number];

/** The key as Sigstore's verifier takes it, read from the vkey's text alone. */
const sigstoreLog = (vkey: string): SigstoreLog => {
  const [name = '', id = '', ...key] = vkey.split('+');
  const bytes = Buffer.from(key.join('+'), 'base64').subarray(1);
  return {
    baseURL: name,
    logID: Buffer.from(id, 'hex'),
    publicKey: createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' }),
    validFor: { start: new Date(0), end: new Date(8.64e15) },
  };
};

const desk = useOfflineDesk();

test("receipts and checkpoints verify with Sigstore's verifier, which knows nothing of Gasdesk", async () => {
  const dapp = await desk().dapp();
  for (let nonce = 0; nonce < 7; nonce += 1) {
    await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` }));
  }
  const { key } = await desk().call<{ key: string }>('log.key', {});
  const decisions = await dapp.decisions();
  expect(decisions).toHaveLength(7);
  for (const { id: decisionId } of decisions) {
    const { receipt } = await desk().call<{ receipt: string }>('log.receipt', { decisionId });
    const { entry, index, hashes, checkpoint } = readEntryProof(receipt) ?? {};
    const proof = {
      canonicalizedBody: Buffer.from(entry ?? ''),
      inclusionProof: {
        logIndex: String(index),
        hashes: (hashes ?? []).map((hash) => Buffer.from(hash)),
        checkpoint: { envelope: checkpoint ?? '' },
      },
    } as unknown as SigstoreEntry;
    const head = verifyCheckpoint(proof, [sigstoreLog(key)]);
    expect(head.origin).toBe(key.split('+')[0]);
    verifyMerkleInclusion(proof, head);
    const altered = { ...proof, canonicalizedBody: Buffer.from('{}') } as unknown as SigstoreEntry;
    expect(() => verifyMerkleInclusion(altered, head)).toThrow('root hash');
  }
});
