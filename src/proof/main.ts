import { portableLogCrypto } from '../core/log/portable-log-crypto.ts';
import { type SharedProof, sharedProof, verifySharedProof } from '../core/log/shared-proof.ts';
import { parseVerifierKey } from '../core/log/signed-note.ts';
import { type Markup, html } from '../shared/markup.ts';
import { PAGE_STYLE } from '../shared/page-style.ts';
import { keyBox, proofBody, unreadableBody } from './proof-body.ts';
import { PROOF_STYLE } from './proof-style.ts';

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
    const isKey = parseVerifierKey(text, portableLogCrypto.sha256) !== undefined;
    show(result, text === '' ? html`` : keyBox(isKey, text === proof.key));
  });
};

try {
  const proof = readProof();
  const verified = verifySharedProof(proof, portableLogCrypto);
  show(main, proofBody(proof, verified));
  compareKeys(proof);
} catch (error) {
  show(main, unreadableBody(error instanceof Error ? error.message : String(error)));
}
