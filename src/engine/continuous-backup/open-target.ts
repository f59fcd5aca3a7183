import { EngineError } from '../../shared/errors.ts';
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

/** The same target, whose failures are errors for the operator. */
const withEngineErrors = (target: CopyTarget): CopyTarget => {
  const { name } = target;
  const told =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      act(...args).catch((cause: unknown) => {
        const words = cause instanceof Error ? cause.message : String(cause);
        throw new EngineError('BACKUP_FAILED', words, { target: name }, { cause });
      });
  return {
    name,
    list: told(target.list),
    read: told(target.read),
    write: told(target.write),
    create: told(target.create),
    remove: told(target.remove),
  };
};

/** Opens a target. Does not use it yet. Its functions reject with EngineError `BACKUP_FAILED`. */
export const openTarget = ({ target, s3 }: TargetPlace): CopyTarget =>
  withEngineErrors(isS3(target) ? s3Target(target, s3) : folderTarget(target));
