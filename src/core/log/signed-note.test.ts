import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkpointText, openCheckpoint, readCheckpoint } from './checkpoint.ts';
import { CompactTree, leafHash } from './merkle-tree.ts';
import { type LogCrypto, openNote, parseVerifierKey, signedNote, verifierKeyText } from './signed-note.ts';
import { entryProofError, entryProofText, readEntryProof } from './tlog-proof.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const crypto: LogCrypto = {
  sha256,
  verifyEd25519: (publicKey, message, signature) =>
    verify(
      null,
      message,
      createPublicKey({ key: Buffer.concat([DER_HEAD, publicKey]), format: 'der', type: 'spki' }),
      signature,
    ),
};

/** The note and key that the first implementation, Go's sumdb, publishes in its documentation. */
const FOO_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const FOO_NOTE =
  'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

const required = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('There is none');
  return value;
};

const newSigner = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = { name, publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32) };
  const privateDer = privateKey.export({ format: 'der', type: 'pkcs8' });
  const signer = createPrivateKey({ key: privateDer, format: 'der', type: 'pkcs8' });
  return { key, signText: (text: string) => signedNote(text, key, sha256, (m) => sign(null, m, signer)) };
};

test('a note that another implementation signed is opened by its published key', () => {
  const key = required(parseVerifierKey(FOO_KEY, sha256));
  expect(openNote(FOO_NOTE, key, crypto)).toEqual({ text: 'This is an example message.\n' });
  expect(verifierKeyText(key, sha256)).toBe(FOO_KEY);
});

test.each([
  ['', 'empty'],
  [FOO_KEY.replace('530d903a', '530d903b'), 'another id'],
  [FOO_KEY.replace('example.com/foo', 'example.com/bar'), 'another name'],
  [FOO_KEY.slice(0, -4), 'cut off'],
  [`${FOO_KEY}AAAA`, 'too long'],
])('%s is no verifier key (%s)', (text) => {
  expect(parseVerifierKey(text, sha256)).toBeUndefined();
});

test.each([
  ['altered text', FOO_NOTE.replace('example', 'exampel'), 'Its signature is wrong'],
  ['altered signature', FOO_NOTE.replace('yaQM=', 'yaQQ='), 'Its signature is wrong'],
  ['another signer', FOO_NOTE.replace('/foo', '/bar'), `It is not signed by ${FOO_KEY}`],
  ['base64 in another form', FOO_NOTE.replace('yaQM=', 'yaQN='), `It is not signed by ${FOO_KEY}`],
  ['no signature', 'This is an example message.\n', 'It is not a signed note'],
  ['cut off', FOO_NOTE.slice(0, -1), 'It is not a signed note'],
  ['a line that is none', `${FOO_NOTE}and more\n`, 'A signature line is malformed'],
  ['too many', FOO_NOTE + '— a AAAA\n'.repeat(64), 'It has more than 64 signatures'],
])('a note with %s is not opened', (_what, note, error) => {
  expect(openNote(note, required(parseVerifierKey(FOO_KEY, sha256)), crypto)).toEqual({ error });
});

test('signatures of other keys do not matter', () => {
  const key = required(parseVerifierKey(FOO_KEY, sha256));
  expect(openNote(`${FOO_NOTE}— witness.example AAAAAAAA\n`, key, crypto)).toHaveProperty('text');
});

const ROOT = sha256(Buffer.from('root'));

test('a checkpoint has origin, size and root of the log whose key signed it', () => {
  const { key, signText } = newSigner('gasdesk/1');
  const head = { origin: 'gasdesk/1', size: 12, root: ROOT };
  const note = signText(checkpointText(head));
  const opened = openCheckpoint(note, key, crypto);
  expect(opened).toEqual({ head: { ...head, root: new Uint8Array(ROOT) } });
  expect(readCheckpoint(note)).toMatchObject({ origin: 'gasdesk/1', size: 12 });
  const ofAnother = signText(checkpointText({ ...head, origin: 'gasdesk/2' }));
  expect(openCheckpoint(ofAnother, key, crypto)).toEqual({ error: 'It is of another log: gasdesk/2' });
  const text = signText(`gasdesk/1\n012\n${ROOT.toString()}\n`);
  expect(openCheckpoint(text, key, crypto)).toEqual({ error: 'It is signed, but it is not a checkpoint' });
});

test('a proof is written, read and holds; for another entry or under another key it does not', () => {
  const { key, signText } = newSigner('gasdesk/1');
  const entries = ['{"entry":0}', '{"entry":1,"with":"ünïcode"}'];
  const hashes = entries.map((entry) => leafHash(Buffer.from(entry), sha256));
  const tree = new CompactTree(sha256);
  for (const hash of hashes) tree.append(hash);
  const checkpoint = signText(checkpointText({ origin: 'gasdesk/1', size: 2, root: tree.root() }));
  const text = entryProofText({ entry: entries[1] ?? '', index: 1, hashes: hashes.slice(0, 1), checkpoint });
  const proof = required(readEntryProof(text));
  expect(proof.entry).toBe(entries[1]);
  expect(entryProofError(proof, key, crypto)).toBeUndefined();
  expect(entryProofError({ ...proof, entry: '{}' }, key, crypto)).toBe(
    'The entry is not the one that the checkpoint covers',
  );
  expect(entryProofError(proof, newSigner('gasdesk/1').key, crypto)).toMatch(/^The checkpoint cannot be trusted\./);
});

test.each([
  '',
  'c2sp.org/tlog-proof@v1\n',
  'c2sp.org/tlog-proof@v1\nindex 0\n\nx\n',
  'c2sp.org/tlog-proof@v1\nextra !!\nindex 0\n\nx\n',
  'c2sp.org/tlog-proof@v1\nextra e30=\nindex 00\n\nx\n',
  `c2sp.org/tlog-proof@v1\nextra e30=\nindex 0\n${'AAAA\n'.repeat(54)}\nx\n`,
  'c2sp.org/tlog-proof@v1\nextra /w==\nindex 0\n\nx\n',
])('%j is no proof', (text) => {
  expect(readEntryProof(text)).toBeUndefined();
});
