import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

interface Options {
  readonly directory: string;
  readonly silent: boolean;
  readonly configureBuckets: readonly { readonly name: string }[];
}

interface StoredObject {
  content: Readable;
  readonly metadata: Readonly<Record<string, string>>;
}

interface ObjectFiles {
  putObject(object: StoredObject): Promise<unknown>;
}

/** The package has no types of its own. */
type S3rver = new (options: Options) => {
  readonly store: ObjectFiles;
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
};

const CONDITION = 'if-none-match';

/**
 * Answers conditional requests as S3 does, which the package does not: of several requests that create an object at the
 * same time, one succeeds, and the others get 409; later ones get 412.
 */
const withConditions = (answer: RequestListener, directory: string): RequestListener => {
  const creating = new Set<string>();
  return (request, response) => {
    const { url = '', method, headers } = request;
    if (method !== 'PUT' || headers[CONDITION] !== '*') return answer(request, response);
    const refuse = (status: number, code: string): void => {
      request.resume();
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    };
    if (creating.has(url)) return refuse(409, 'ConditionalRequestConflict');
    if (existsSync(join(directory, `${url}._S3rver_object`))) return refuse(412, 'PreconditionFailed');
    creating.add(url);
    response.on('close', () => creating.delete(url));
    answer(request, response);
  };
};

/** Stores whole objects only, as S3 does: the package stores what has arrived when a connection is cut. */
const refuseParts = (files: ObjectFiles): void => {
  const put = files.putObject.bind(files);
  files.putObject = async (object) => {
    const bytes = await buffer(object.content);
    if (bytes.length !== Number(object.metadata['content-length'])) throw new Error('The connection was cut');
    object.content = Readable.from([bytes]);
    return put(object);
  };
};

interface StoreOptions {
  /** True for a store that stores an object whatever the condition says. */
  readonly ignoresConditions?: boolean;
}

/** Starts an S3-compatible object store with one bucket, which keeps its objects in a folder. It checks signatures. */
export const startObjectStore = async (
  directory: string,
  bucket: string,
  { ignoresConditions = false }: StoreOptions = {},
) => {
  const Store = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver;
  const store = new Store({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  refuseParts(store.store);
  await store.configureBuckets();
  const answer = store.callback();
  const server = createServer(ignoresConditions ? answer : withConditions(answer, directory));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
