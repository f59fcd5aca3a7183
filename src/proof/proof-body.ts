import { decisionArticle, utcTime } from '../api/decision-article.ts';
import { callsOf } from '../core/calls/described-calls.ts';
import type { ProofCheck, SharedProof, VerifiedProof } from '../core/log/shared-proof.ts';
import { decidedOperation } from '../core/inspect/decided-operation.ts';
import { inspect } from '../core/inspect/inspect.ts';
import { readRevision } from '../core/policy/revision.ts';
import { knownChains } from '../shared/chains.ts';
import { type Markup, html } from '../shared/markup.ts';
import type { DecisionRecord } from '../shared/schema/decision.ts';
import type { InspectionCheck, InspectionSection, NamedBytes, NamedValue } from '../shared/schema/inspection.ts';

const SIGNS = { true: '✓', false: '✗', null: '–' } as const;
/** For readers who do not see the signs. */
const SIGN_WORDS = { true: 'verified', false: 'wrong', null: 'not verified' } as const;

const checkRow = ({ title, isSound, words }: ProofCheck): Markup => {
  const state = String(isSound) as keyof typeof SIGNS;
  return html`<li class="${state}">
    <i role="img" aria-label="${SIGN_WORDS[state]}">${SIGNS[state]}</i><b>${title}</b><span>${words}</span>
  </li>`;
};

const MOST_ALTERED = 20;

const alteredWords = (altered: readonly string[]): Markup => html`
  <p>
    Altered since the file was written: ${altered.slice(0, MOST_ALTERED).map((path) => html`<code>${path}</code> `)}
    ${altered.length > MOST_ALTERED ? `and ${altered.length - MOST_ALTERED} more` : ''}
  </p>
`;

const isProved = ({ checks }: VerifiedProof): boolean => checks.every(({ isSound }) => isSound !== false);

const verdict = (verified: VerifiedProof): Markup => {
  const { checks, altered } = verified;
  const isSound = isProved(verified);
  return html`<section class="verdict ${isSound ? 'sound' : 'unsound'}">
    <h1>${isSound ? 'This decision is proved' : 'This file proves nothing'}</h1>
    ${altered.length === 0 ? '' : alteredWords(altered)}
    <ol class="checks">
      ${checks.map(checkRow)}
    </ol>
  </section>`;
};

/** Asks for the key, because a forger can put another key into the file and sign with that. */
const keySection = ({ key }: SharedProof): Markup => html`
  <section class="given">
    <label for="given-key"
      ><strong>Is it the right log?</strong> Everything above was verified with the key in this file. Paste the key that
      the operator gave you through another channel, such as a website.</label
    >
    <input id="given-key" autocomplete="off" spellcheck="false" placeholder="gasdesk/…+…+…" />
    <p id="key-result" role="status"></p>
    <p class="quiet">The key in this file: <code>${key}</code></p>
  </section>
`;

/** What to say of a key that was pasted. */
export const keyBox = (isKey: boolean, isSame: boolean): Markup => {
  if (!isKey) return html`This is not a whole key. "gasdesk log key" prints it.`;
  return isSame
    ? html`<span class="match">It is the key in this file.</span>`
    : html`<span class="mismatch"
        >It is another key than the one in this file: the proof is not from the log that you know.</span
      >`;
};

const chainOf = (decision: DecisionRecord, policy: unknown) => {
  const known = knownChains.get(decision.chainId);
  const set = readRevision(policy)?.policy.chain;
  return {
    name: set?.name ?? known?.name ?? `chain ${decision.chainId}`,
    symbol: set?.symbol ?? known?.symbol ?? 'native coin',
  };
};

const prettyJson = (line: string): string => {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
};

const decisionSection = (decision: DecisionRecord, { policy }: SharedProof, isProved: boolean): Markup => html`
  <h2>${isProved ? 'The decision' : 'What this file says, without proof'}</h2>
  ${decisionArticle(decision, callsOf(decision, readRevision(policy)?.policy.contracts ?? []), chainOf(decision, policy))}
`;

const valueText = ({ kind, value }: NamedValue): string =>
  kind === 'time' && Number(value) > 0 ? `${utcTime(Number(value) * 1000)} (${value})` : value;

const bytesRow = (named: NamedBytes | (NamedValue & { hex?: string })): Markup => html`
  <tr>
    <th scope="row">${named.name}</th>
    <td>${valueText(named)} <span class="quiet">${named.meaning}</span><br /><code>${named.hex ?? ''}</code></td>
  </tr>
`;

/** The name of the check that compares the validity window with the present. A proof is read much later. */
const VALIDITY = 'validity';

const bytesTable = ({ title, bytes, values, checks: all }: InspectionSection): Markup => {
  const checks = all.filter(({ name }) => name !== VALIDITY);
  return html`
    <h3>${title}</h3>
    <table>
      <tbody>
        ${[...bytes, ...values].map(bytesRow)}
      </tbody>
    </table>
    ${
      checks.length === 0
        ? ''
        : html`<ul class="checks">
            ${checks.map(({ name, ok, words }: InspectionCheck) => checkRow({ title: name, isSound: ok, words }))}
          </ul>`
    }
  `;
};

/** The signed bytes, one range after the other; empty if nothing was signed. */
const signedBytes = (decision: DecisionRecord, { policy }: SharedProof): Markup => {
  const { chainId, paymasterAndData, at } = decision;
  const known = readRevision(policy)?.policy;
  if (paymasterAndData === '0x' || known === undefined) return html``;
  const { inspection } = inspect(paymasterAndData, {
    now: Math.floor(at / 1000),
    chainId,
    chains: [{ chainId, ...chainOf(decision, policy) }],
    contracts: known.paymasterContracts.map((contract) => ({ chainId, ...contract })),
    signers: known.signer === null ? [] : [{ chainId, address: known.signer }],
    decided: decidedOperation(decision),
  });
  return html`<details>
    <summary>The signed bytes (paymasterAndData)</summary>
    ${(inspection.readings[0]?.sections ?? []).map(bytesTable)}
  </details>`;
};

/** The page of a proof that could be read. */
export const proofBody = (proof: SharedProof, verified: VerifiedProof): Markup => html`
  <p class="quiet">Proof of a decision · Gasdesk ${proof.engine} · verified by your browser, without a network</p>
  ${verdict(verified)} ${keySection(proof)}
  ${verified.decision === undefined ? '' : decisionSection(verified.decision, proof, isProved(verified))}
  <h2>What was verified</h2>
  ${verified.decision === undefined ? '' : signedBytes(verified.decision, proof)}
  <details>
    <summary>The log entry</summary>
    <pre>${prettyJson(proof.entry)}</pre>
  </details>
  <details>
    <summary>The rules at that time</summary>
    <pre>${JSON.stringify(proof.policy, null, 2)}</pre>
  </details>
  <details>
    <summary>The signed checkpoint, and the path from the entry to its root</summary>
    <pre>${proof.checkpoint}</pre>
    <pre>${proof.hashes.join('\n')}</pre>
  </details>
`;

/** The page of a proof that cannot be read. */
export const unreadableBody = (why: string): Markup => html`
  <section class="verdict unsound">
    <h1>This file proves nothing</h1>
    <p>It is damaged, and cannot be read: ${why}</p>
  </section>
`;
