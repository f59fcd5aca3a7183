import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { Secret } from '../base/secret.ts';

/** A secret setting, which may be empty. */
export const secret = (pattern: RegExp) =>
  z
    .preprocess(
      (value): unknown => (value instanceof Secret ? (value as Secret<unknown>).reveal() : value),
      z.string().regex(pattern),
    )
    .default('')
    .transform((text) => new Secret(text));

/** A bucket, and a prefix for the names in it. */
const S3_TARGET = /^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*$/;

/** The settings of the continuous backup. */
export const backupSettings = {
  continuousBackup: z
    .string()
    .refine((text) => text === '' || isAbsolute(text) || S3_TARGET.test(text))
    .default('')
    .describe('an absolute path of a folder, or s3://BUCKET/PREFIX; empty for no continuous backup'),
  s3Endpoint: z
    .string()
    .refine((text) => text === '' || /^https?:\/\/[^\s/]+(\/[^\s]*)?$/.test(text))
    .default('')
    .describe('an http or https URL of an S3-compatible object store; empty for Amazon S3'),
  s3Region: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1')
    .describe('a region, such as us-east-1'),
  s3AccessKeyId: z
    .string()
    .regex(/^[!-~]*$/)
    .default('')
    .describe('the id of an access key for the object store'),
  s3SecretAccessKey: secret(/^[!-~]*$/).describe('the secret access key for the object store'),
  continuousBackupWait: z
    .boolean()
    .default(false)
    .describe('true or false (whether answers wait until the continuous backup contains them, as a standby needs)'),
  continuousBackupDays: z
    .int()
    .min(1)
    .max(3_650)
    .default(7)
    .describe('an integer from 1 to 3650 (days to which the continuous backup can be restored)'),
};
