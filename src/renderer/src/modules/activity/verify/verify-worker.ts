import { portableLogCrypto } from '../../../../../core/log/portable-log-crypto.ts';
import { parseVerifierKey } from '../../../../../core/log/signed-note.ts';
import { LogVerifier } from '../../../../../core/log/verify.ts';
import type { FromVerifier, ToVerifier } from './verifier-messages.ts';

/** Verifies a log in a thread, because that takes up to a millisecond for each decision. */

const encoder = new TextEncoder();
let verifier: LogVerifier | undefined;

const answerTo = (message: ToVerifier): FromVerifier => {
  if ('start' in message) {
    const { key: text, engine, withSignatures, since } = message.start;
    const key = parseVerifierKey(text, portableLogCrypto.sha256);
    if (key === undefined) throw new Error('The key of the log is malformed');
    verifier = new LogVerifier({
      key,
      crypto: portableLogCrypto,
      engine,
      withSignatures,
      ...(since !== undefined && { since }),
    });
    return { size: 0 };
  }
  if (verifier === undefined) throw new Error('The log is not open');
  if ('checkpoint' in message) return { report: verifier.finish(message.checkpoint) };
  for (const { text, hash } of message.lines) verifier.add({ text, bytes: encoder.encode(text), hash });
  return { size: verifier.size };
};

addEventListener('message', ({ data }: MessageEvent<ToVerifier>) => {
  try {
    postMessage(answerTo(data));
  } catch (error) {
    postMessage({ failure: String(error) } satisfies FromVerifier);
  }
});
