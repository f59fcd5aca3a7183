import { beforeAll, describe, expect, test } from 'vitest';
import { buildProofPage } from '../../scripts/build-stale.ts';
import { type SharedProof, sharedProof, verifySharedProof } from '../../src/core/log/shared-proof.ts';
import { logCrypto } from '../../src/engine/log/ed25519.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const desk = useOfflineDesk();
let denied: SharedProof;
let sponsored: SharedProof;

const DATA = /<script type="application\/json" id="proof">(.*?)<\/script>/s;

/** The proof in the page that the desk writes for a decision. */
const proofOf = async (decisionId: string): Promise<SharedProof> => {
  const { html } = await desk().call<{ html: string }>('log.proof', { decisionId });
  return sharedProof.parse(JSON.parse(DATA.exec(html)?.[1] ?? ''));
};

beforeAll(async () => {
  buildProofPage();
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 1, name: 'One </script><b>a day' });
  const answers = [];
  for (const nonce of ['0x0', '0x1']) {
    answers.push(await dapp.sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce })));
  }
  expect(answers.map(codeOf)).toEqual(['SPONSORED', 'LIMIT_REACHED']);
  const [second, first] = await dapp.decisions();
  denied = await proofOf(second?.id ?? '');
  sponsored = await proofOf(first?.id ?? '');
});

const resultsOf = (proof: SharedProof) =>
  verifySharedProof(proof, logCrypto).checks.map(({ title, isSound }) => [title, isSound]);

test('a decision is proved by its page alone: in the log, by its rules, and the same when it is decided again', () => {
  for (const proof of [denied, sponsored]) {
    expect(resultsOf(proof)).toEqual([
      ['In the log', true],
      ['Its rules', true],
      ['Decided again', true],
    ]);
    expect(verifySharedProof(proof, logCrypto).altered).toEqual([]);
  }
  const { decision } = verifySharedProof(denied, logCrypto);
  expect(decision).toMatchObject({ outcome: 'denied', code: 'LIMIT_REACHED', rule: 'spendingLimit' });
  expect(decision?.message).toContain('One </script><b>a day');
});

/** The value with one character replaced by another of its kind. */
const otherCharacter = (text: string, index: number): string => {
  const character = text.charAt(index);
  const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'a' ? 'b' : 'a';
  return text.slice(0, index) + other + text.slice(index + 1);
};

describe('an altered page proves nothing, and names what was altered:', () => {
  /** Alters the first character of what `find` finds in the entry. */
  const inEntry = (find: string) => (proof: SharedProof) => ({
    ...proof,
    entry: otherCharacter(proof.entry, proof.entry.indexOf(find) + find.length),
  });
  test.for<readonly [field: string, alter: (proof: SharedProof) => SharedProof]>([
    ['entry.body.sender', inEntry('"sender":"0x')],
    ['entry.body.code', inEntry('"code":"')],
    ['entry.body.engine', inEntry('"engine":"')],
    ['entry.previous', inEntry('"previous":"')],
    ['index', (proof) => ({ ...proof, index: proof.index + 1 })],
    ['hashes[0]', (proof) => ({ ...proof, hashes: proof.hashes.with(0, otherCharacter(proof.hashes[0] ?? '', 3)) })],
    ['checkpoint[1]', (proof) => ({ ...proof, checkpoint: proof.checkpoint.replace(/\n\d/, '\n9') })],
    [
      'checkpoint[2]',
      (proof) => ({ ...proof, checkpoint: otherCharacter(proof.checkpoint, proof.checkpoint.indexOf('\n\n') - 9) }),
    ],
    [
      'checkpoint[4]',
      (proof) => ({ ...proof, checkpoint: otherCharacter(proof.checkpoint, proof.checkpoint.length - 9) }),
    ],
    [
      'policy.dapp.name',
      (proof) => ({
        ...proof,
        policy: JSON.parse(JSON.stringify(proof.policy).replace('"name":"', '"name":"x')) as unknown,
      }),
    ],
    ['key', (proof) => ({ ...proof, key: otherCharacter(proof.key, proof.key.length - 9) })],
  ])('%s', ([field, alter]) => {
    const altered = alter(denied);
    expect(altered).not.toEqual(denied);
    const verified = verifySharedProof(altered, logCrypto);
    expect(verified.altered).toEqual([field]);
    expect(verified.checks.some(({ isSound }) => isSound === false)).toBe(true);
  });

  test('an entry that is no longer JSON', () => {
    const verified = verifySharedProof({ ...denied, entry: denied.entry.slice(1) }, logCrypto);
    expect(verified.decision).toBeUndefined();
    expect(verified.checks.map(({ isSound }) => isSound)).toEqual([false, false]);
  });
});

test('a forger who computes the checksums again still has no signature', () => {
  const entry = denied.entry.replaceAll('LIMIT_REACHED', 'SENDER_DENIED');
  expect(resultsOf({ ...denied, entry })).toEqual([
    ['In the log', false],
    ['Its rules', true],
    ['Decided again', false],
  ]);
});

test('the entry of one decision is not proved by the path of another', () => {
  expect(resultsOf({ ...denied, entry: sponsored.entry })[0]).toEqual(['In the log', false]);
});

test('a decision that does not exist has no page', async () => {
  await expect(desk().call('log.proof', { decisionId: 'none' })).rejects.toThrow('not found');
});
