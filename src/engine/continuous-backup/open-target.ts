import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
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
  const reported = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((cause: unknown) => {
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new EngineError('BACKUP_FAILED', words, { target: name }, { cause });
    });
  return {
    name,
    list: (prefix) => reported(target.list(prefix)),
    read: (object) => reported(target.read(object)),
    write: (object, bytes) => reported(target.write(object, bytes)),
    create: (object, bytes) => reported(target.create(object, bytes)),
    remove: (objects) => reported(target.remove(objects)),
  };
};

/** The path without symbolic links, also if its end does not exist yet. */
const realPath = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  });

/** Refuses a target that would be lost with the data folder. @throws EngineError `BACKUP_FAILED` */
export const requireOutside = async (dir: string, target: string): Promise<void> => {
  if (isS3(target)) return;
  const way = relative(await realPath(dir), await realPath(target));
  // On Windows, the way to another drive is absolute.
  if (way.split(sep, 1)[0] === '..' || isAbsolute(way)) return;
  const message = `${target} is in the data folder, with which it would be lost. Choose another folder`;
  throw new EngineError('BACKUP_FAILED', message, { target });
};

/**
 * Opens a target. Does not use it yet. Its functions reject with EngineError `BACKUP_FAILED`. `stop` ends requests to an
 * object store, and refuses further ones.
 */
export const openTarget = ({ target, s3 }: TargetPlace, stop?: AbortSignal): CopyTarget =>
  withEngineErrors(isS3(target) ? s3Target(target, s3, stop) : folderTarget(target));
