import type { Config } from '../config/config.ts';
import { folderTarget } from './folder-target.ts';
import { s3Target } from './s3-target.ts';
import type { CopyTarget, TargetPlace } from './target.ts';

export type S3Settings = Pick<Config, 's3Endpoint' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey'>;

export const isS3 = (target: string): boolean => target.startsWith('s3://');

export const placeOf = (target: string, config: S3Settings): TargetPlace => ({
  target,
  s3: {
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    accessKeyId: config.s3AccessKeyId,
    secretAccessKey: config.s3SecretAccessKey.reveal(),
  },
});

/** Opens a target. Does not use it yet. */
export const openTarget = ({ target, s3 }: TargetPlace): CopyTarget =>
  isS3(target) ? s3Target(target, s3) : folderTarget(target);
