import { z } from 'zod';

const NAME_LENGTH = 100;
const URL_LENGTH = 2048;

/** Names: non-empty, at most 100 characters, all printable. */
export const name = z
  .string()
  .min(1, { abort: true })
  .max(NAME_LENGTH)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')
  .refine((value) => value.trim() !== '', 'should not be empty');

const HTTP_URL_ERROR = 'must be an http or https URL';

export const WELL_FORMED_ERROR = 'must be text, without halves of surrogate pairs';

/** Text that has a UTF-8 form, and so a hash. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

/** http and https URLs, kept as written. Refuses any that the URL parser would have to repair. */
export const httpUrl = z
  .string(HTTP_URL_ERROR)
  .max(URL_LENGTH, `must have at most ${URL_LENGTH} characters`)
  .regex(/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu, HTTP_URL_ERROR)
  .pipe(z.url({ protocol: /^https?$/, error: HTTP_URL_ERROR }));

const LOOPBACK_ERROR = 'must be an http URL of this machine, such as http://127.0.0.1:1248';

const LOOPBACK = /^https?:\/\/(?:127(?:[.]\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?(?:[/?#].*)?$/i;

/** http URLs on this machine (127.0.0.0/8, localhost, ::1), without user info. */
export const loopbackUrl = httpUrl.refine((url) => LOOPBACK.test(url), LOOPBACK_ERROR);

/**
 * Identifiers issued by the service. Their format is not checked, because an unknown one is reported as "not found".
 */
export const id = z.string().max(NAME_LENGTH);

/** Chain id (EIP-155). */
export const chainId = z.number().int('must be a number');
