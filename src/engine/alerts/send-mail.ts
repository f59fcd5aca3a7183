import { type Socket, connect, isIP } from 'node:net';
import type { SendMailOptions } from 'nodemailer';
import { Secret } from '../base/secret.ts';
import type { ResolveName } from '../network/names.ts';
import { guardedLookup, requireCallable } from '../webhooks/address-guard.ts';

export interface MailOptions {
  readonly resolver: ResolveName;
  readonly allowPrivate: boolean;
}

/** `smtps` or `smtp`, with the user name and password if the server needs them. */
type ServerUrl = Secret<string>;

/** @param stop ends the sending */
export type SendMail = (
  server: ServerUrl,
  mail: Pick<SendMailOptions, 'from' | 'to' | 'subject' | 'text'>,
  stop: AbortSignal,
) => Promise<void>;

const TIMEOUT_MS = 15_000;
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

/** Sends mails over SMTP, to the same addresses that webhooks may have. With `smtp`, TLS is used if the server has it. */
export const createSendMail =
  ({ resolver, allowPrivate }: MailOptions): SendMail =>
  async (server, mail, stop) => {
    // Loaded when it is needed, because few desks send mail.
    const { createTransport } = await import('nodemailer');
    const url = new URL(server.reveal());
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? PORTS[url.protocol as keyof typeof PORTS] : Number(url.port);
    if (isIP(host) !== 0) requireCallable(host, allowPrivate);
    let socket: Socket | undefined;
    const transport = createTransport({
      host,
      port,
      secure: url.protocol === 'smtps:',
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(isIP(host) === 0 && { tls: { servername: host } }),
      ...(url.username !== '' && {
        auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      }),
      getSocket: (_options, given) => {
        const made = connect({ host, port, lookup: guardedLookup(resolver, allowPrivate, undefined), signal: stop });
        const fail = (error: Error): void => given(error, undefined);
        socket = made.once('error', fail).once('connect', () => {
          made.off('error', fail);
          given(null, { connection: made });
        });
        made.setTimeout(TIMEOUT_MS, () => made.destroy(new Error('The mail server did not answer in time')));
      },
    });
    try {
      await transport.sendMail(mail);
    } finally {
      transport.close();
      socket?.destroy();
    }
  };
