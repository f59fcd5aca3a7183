import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';

interface Options {
  readonly directory: string;
  readonly silent: boolean;
  readonly configureBuckets: readonly { readonly name: string }[];
}

/** The package has no types of its own. */
type S3rver = new (options: Options) => {
  configureBuckets(): Promise<unknown>;
  callback(): Parameters<typeof createServer>[1];
};

/** Starts an S3-compatible object store with one bucket, which keeps its objects in a folder. It checks signatures. */
export const startObjectStore = async (directory: string, bucket: string) => {
  const Store = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver;
  const store = new Store({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  await store.configureBuckets();
  const server = createServer(store.callback());
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
