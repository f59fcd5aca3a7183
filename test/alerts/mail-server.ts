import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

export interface ReceivedMail {
  readonly user: string;
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text as they came. */
  readonly source: string;
}

/** An SMTP server that ends with the test. It takes mail only from `desk` with the password `open sesame`. */
export const startMailServer = async () => {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth({ username = '', password }, _session, done) {
      if (username === 'desk' && password === 'open sesame') done(null, { user: username });
      else done(new Error('Wrong user name or password'));
    },
    onData(stream, { user, envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ user: String(user), from, to, source: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  // The desk closes its connection when it is done.
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = listener.address() as AddressInfo;
  return { mails, port, url: `smtp://desk:open%20sesame@127.0.0.1:${port}` };
};
