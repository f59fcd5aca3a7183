import type { AwsClient } from 'aws4fetch';
import { type Clock, systemClock } from '../base/clock.ts';
import type { CopyTarget, S3Access } from './target.ts';

/** A request that takes longer has failed. */
const TIMEOUT_MS = 30_000;
/** Waits before a request is sent again, because the store has answered that it could not serve it. */
const RETRY_WAITS_MS = [50, 100];
/** Objects that are removed at the same time. */
const AT_ONCE = 8;
/** Waits before each attempt to create an object, which other requests may create at the same time. */
const CREATE_WAITS_MS = [0, 50, 100, 200, 400, 800];

const KEY = /<Key>([^<]+)<\/Key>/g;
const IS_TRUNCATED = '<IsTruncated>true</IsTruncated>';
const EXISTS = 412;
const TOO_MANY = 429;
/** Another request creates the same object at this moment. */
const CONFLICT = 409;

const ERROR_CODE = /<Code>([^<]+)<\/Code>/;
const ERROR_TEXT = /<Message>([^<]+)<\/Message>/;

interface RequestParts {
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are no error. */
  readonly expected?: readonly number[];
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * A bucket of an S3-compatible object store. `place` is like `s3://BUCKET/PREFIX`.
 *
 * @param stop ends requests in progress and refuses further ones
 */
export const s3Target = (
  place: string,
  access: S3Access,
  stop: AbortSignal = new AbortController().signal,
  clock: Pick<Clock, 'setTimer'> = systemClock,
): CopyTarget => {
  const [bucket = '', ...folders] = place.slice('s3://'.length).split('/');
  const root = folders.map((folder) => `${folder}/`).join('');
  const { endpoint, region, accessKeyId, secretAccessKey } = access;
  const base = endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint.replace(/\/+$/, '');
  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(ms, resolve));
  let client: Promise<AwsClient> | undefined;
  const connect = async (): Promise<AwsClient> => {
    if (accessKeyId === '' || secretAccessKey === '') {
      throw new Error(`${place} needs the settings s3AccessKeyId and s3SecretAccessKey`);
    }
    const { AwsClient: Client } = await import('aws4fetch');
    return new Client({ accessKeyId, secretAccessKey, region, service: 's3' });
  };

  /** Sends a request, and reads the whole answer. @throws Error that says why it did not come */
  const exchange = async (client: AwsClient, url: string, init: RequestInit): Promise<Answer> => {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([late, stop]);
    try {
      for (let attempt = 0; ; attempt += 1) {
        // Only signed by the library: a signal that it passes on ends nothing any more after a garbage collection.
        const answer = await fetch(await client.sign(url, init), { signal });
        const { status } = answer;
        const body = Buffer.from(await answer.arrayBuffer());
        const wait = RETRY_WAITS_MS[attempt];
        if ((status < 500 && status !== TOO_MANY) || wait === undefined) return { status, body };
        await pause(wait);
      }
    } catch (cause) {
      if (late.aborted) throw new Error(`${base} did not answer within ${TIMEOUT_MS / 1_000} s`, { cause });
      const { message, cause: inner } = cause as Error;
      throw new Error(`${base} does not answer (${inner instanceof Error ? inner.message : message})`, { cause });
    }
  };

  /** Sends a request. @throws Error that says what the store answered, unless the status is `expected` */
  const request = async (
    method: string,
    path: string,
    { body, headers = {}, expected = [404] }: RequestParts = {},
  ): Promise<Answer> => {
    client ??= connect();
    const opened = await client.catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    const url = `${base}/${bucket}${path}`;
    const answer = await exchange(opened, url, { method, headers, ...(body && { body: Buffer.from(body) }) });
    const { status } = answer;
    if ((status >= 200 && status <= 299) || expected.includes(status)) return answer;
    const text = answer.body.toString();
    const words = [ERROR_CODE, ERROR_TEXT].map((part) => part.exec(text)?.[1]).filter((part) => part !== undefined);
    throw new Error(`${method} ${place}: ${status} ${words.join(': ')}`);
  };
  const requireFound = (answer: Answer): Answer => {
    if (answer.status === 404) throw new Error(`The bucket ${bucket} does not exist at ${base}`);
    return answer;
  };

  return {
    name: place,
    async list(prefix) {
      const names: string[] = [];
      for (let text = IS_TRUNCATED; text.includes(IS_TRUNCATED);) {
        const last = names.at(-1);
        // ListObjects, not ListObjectsV2: every store has it, and its pages need no token.
        const query = new URLSearchParams({
          prefix: root + prefix,
          ...(last !== undefined && { marker: root + last }),
        });
        text = requireFound(await request('GET', `?${query.toString()}`)).body.toString();
        // Gasdesk's names contain no characters that XML escapes.
        for (const [, key = ''] of text.matchAll(KEY)) names.push(key.slice(root.length));
      }
      return names.sort();
    },
    async read(name) {
      const { status, body } = await request('GET', `/${root}${name}`);
      return status === 404 ? undefined : body;
    },
    async write(name, bytes) {
      requireFound(await request('PUT', `/${root}${name}`, { body: bytes }));
    },
    async create(name, bytes) {
      const order = { body: bytes, headers: { 'if-none-match': '*' }, expected: [404, EXISTS, CONFLICT] };
      for (const wait of CREATE_WAITS_MS) {
        if (wait > 0) await pause(wait);
        const { status } = requireFound(await request('PUT', `/${root}${name}`, order));
        if (status !== CONFLICT) return status !== EXISTS;
      }
      throw new Error(`${place} does not say which of several requests has created ${name}`);
    },
    async remove(names) {
      for (let first = 0; first < names.length; first += AT_ONCE) {
        const some = names.slice(first, first + AT_ONCE);
        await Promise.all(some.map((name) => request('DELETE', `/${root}${name}`)));
      }
    },
  };
};
