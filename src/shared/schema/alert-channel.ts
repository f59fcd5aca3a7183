import { z } from 'zod';

export const alertKinds = ['mail', 'slack', 'discord', 'telegram', 'mattermost'] as const;

export const alertKind = z.enum(alertKinds).describe('What receives the alerts');

export type AlertKind = z.output<typeof alertKind>;

const TIME_ERROR = 'must be a time such as 22:00';
const time = z.string(TIME_ERROR).regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, TIME_ERROR);

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

/** A period of each day in which alerts wait. It may include midnight. */
export const quietHours = z
  .strictObject({
    from: time,
    to: time,
    zone: z
      .string()
      .max(100)
      .refine(isZone, 'must be a time zone such as Europe/Berlin')
      .default('UTC')
      .describe('Time zone, such as Europe/Berlin'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from the start' });

export type QuietHours = z.output<typeof quietHours>;

const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u;

/** One mail address, without a name. */
export const mailAddress = z.string().max(254).regex(ADDRESS, 'must be a mail address');

const URL_ERROR = 'must be an http, https, smtp or smtps URL';

/** http and https URLs of chats, and smtp and smtps URLs of mail servers. */
export const alertUrl = z
  .string(URL_ERROR)
  .max(2_048)
  .regex(/^(?:https?|smtps?):\/\/[^\s\p{Cc}\p{Cs}]+$/iu, URL_ERROR)
  .pipe(z.url({ protocol: /^(?:https?|smtps?)$/, error: URL_ERROR }));
