import { isAbsolute, relative } from 'node:path';
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
  const told = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((cause: unknown) => {
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new EngineError('BACKUP_FAILED', words, { target: name }, { cause });
    });
  return {
    name,
    list: (prefix) => told(target.list(prefix)),
    read: (object) => told(target.read(object)),
    write: (object, bytes) => told(target.write(object, bytes)),
    create: (object, bytes) => told(target.create(object, bytes)),
    remove: (objects) => told(target.remove(objects)),
  };
};

const isWithin = (dir: string, path: string): boolean => {
  const way = relative(dir, path);
  // On Windows, the way to another drive is absolute.
  return !way.startsWith('..') && !isAbsolute(way);
};

/** Refuses a target that would be lost with the data folder. @throws Error */
export const requireOutside = (dir: string, target: string): void => {
  if (isS3(target) || !isWithin(dir, target)) return;
  throw new Error(`${target} is in the data folder, with which it would be lost. Choose another folder`);
};

/** Opens a target. Does not use it yet. Its functions reject with EngineError `BACKUP_FAILED`. */
export const openTarget = ({ target, s3 }: TargetPlace): CopyTarget =>
  withEngineErrors(isS3(target) ? s3Target(target, s3) : folderTarget(target));
