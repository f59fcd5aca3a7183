import { ed25519 } from '@noble/curves/ed25519.js';
import { getBytes, sha256 } from 'ethers';
import { type SharedProof, sharedProof, verifySharedProof } from '../core/log/shared-proof.ts';
import { type LogCrypto, parseVerifierKey } from '../core/log/signed-note.ts';
import { type Markup, html } from '../shared/markup.ts';
import { PAGE_STYLE } from '../shared/page-style.ts';
import { keyBox, proofBody, unreadableBody } from './proof-body.ts';
import { PROOF_STYLE } from './proof-style.ts';

const crypto: LogCrypto = {
  sha256: (bytes) => getBytes(sha256(bytes)),
  verifyEd25519: (publicKey, message, signature) => {
    try {
      return ed25519.verify(signature, message, publicKey);
    } catch {
      return false;
    }
  },
};

const style = document.createElement('style');
style.textContent = PAGE_STYLE + PROOF_STYLE;
document.head.append(style);

const main = document.querySelector('main') ?? document.body;
const show = (place: Element, markup: Markup): void => {
  place.innerHTML = markup.text;
};

/** The proof in this file. @throws Error if it is damaged */
const readProof = (): SharedProof => sharedProof.parse(JSON.parse(document.querySelector('#proof')?.textContent ?? ''));

/** Compares the key in the file with the one that the reader was given, while it is typed. */
const compareKeys = (proof: SharedProof): void => {
  const given = document.querySelector<HTMLInputElement>('#given-key');
  const result = document.querySelector('#key-result');
  given?.addEventListener('input', () => {
    if (result === null) return;
    const text = given.value.trim();
    const isKey = parseVerifierKey(text, crypto.sha256) !== undefined;
    show(result, text === '' ? html`` : keyBox(isKey, text === proof.key));
  });
};

try {
  const proof = readProof();
  const verified = verifySharedProof(proof, crypto);
  show(main, proofBody(proof, verified));
  compareKeys(proof);
} catch (error) {
  show(main, unreadableBody(error instanceof Error ? error.message : String(error)));
}
