import { HDNodeWallet } from 'ethers';
import { useFixture } from './fixture.ts';
import { type RpcReply, requestSponsorship } from '../../src/demo/sponsor-rpc.ts';
import type { Address } from '../../src/shared/schema/hex.ts';
import { type CliEnvironment, type ServingCli, useServe } from './cli.ts';
import { type PostgresServer, findPostgres, startPostgres } from './postgres.ts';
import { signableOperation } from './signing-folder.ts';
import { type ServingEngine, type SponsoredDapp, prepareUnreachableChain, startEngine } from './engine.ts';
import { useTempFolders } from './temp-folder.ts';

/** Environment of the processes and commands on these desks. */
export const ENGINES_ENV = { GASDESK_PASSPHRASE: 'correct horse battery staple', GASDESK_LOG_LEVEL: 'error' };

/** False without PostgreSQL, outside CI: these tests are then skipped, with a warning. */
export const canShare = findPostgres() !== undefined || process.env['CI'] !== undefined;
if (!canShare) console.warn('No PostgreSQL here: what takes several engines is left out.');

/** A database with a desk in it, on which no engine runs. */
export interface SharedDesk {
  readonly database: string;
}

export interface DeskOptions {
  readonly engine: ServingEngine;
  /** A DApp that sponsors on an unreachable chain. */
  readonly dapp: (chainId: number) => Promise<SponsoredDapp>;
  readonly rule: (
    dapp: SponsoredDapp,
    rule: { readonly policyType: string; readonly policyData: unknown },
  ) => Promise<string>;
}

/** A server of PostgreSQL, and engines on its databases. */
export interface Engines {
  server(): PostgresServer;
  folder(): string;
  /** Makes a desk with an engine, and stops that engine. */
  desk<T>(prepare: (preparing: DeskOptions) => Promise<T>): Promise<SharedDesk & T>;
  /** Starts an engine as a process, by default on a new data folder. */
  start(database: string, options?: { readonly folder?: string; readonly env?: CliEnvironment }): Promise<ServingCli>;
}

/** Gives the tests of the calling file such a server. `durable`: it may be killed. */
export const useEngines = (options: { readonly durable?: boolean } = {}): Engines => {
  const serve = useServe();
  const tempFolder = useTempFolders();
  const server = useFixture(
    () => startPostgres(options),
    (started) => started?.stop(),
  );
  return {
    server,
    folder: tempFolder,
    async desk(prepare) {
      const database = await server().createDatabase();
      const engine = await startEngine({ dir: tempFolder(), flags: { database } });
      const chains = new Set<number>();
      let rules = 0;
      try {
        const made = await prepare({
          engine,
          async dapp(chainId) {
            if (!chains.has(chainId)) await prepareUnreachableChain(engine, chainId);
            chains.add(chainId);
            return engine.dapp({ chainId, fundingWallet: HDNodeWallet.createRandom() });
          },
          async rule({ paymasterId }, rule) {
            const named = { name: `Rule ${(rules += 1)}`, ...rule };
            return (await engine.service.call('rules.create', { paymasterId, rule: named }))._id;
          },
        });
        return { database, ...made };
      } finally {
        await engine.stop();
      }
    },
    start: (database, { folder = tempFolder(), env = {} } = {}) =>
      serve(['--data', folder, '--database', database], { ...ENGINES_ENV, ...env }),
  };
};

export interface DappEndpoint {
  readonly url: string;
  readonly chainId: number;
  readonly apiKey: string;
}

/** Requests an operation that only the DApp's rules can deny; by default always of the same sender. */
export const ask = (asking: DappEndpoint, nonce: number, sender: Address = `0x${'11'.repeat(20)}`): Promise<RpcReply> =>
  requestSponsorship(asking, [{ ...signableOperation(nonce), sender }, { mode: 'SPONSORED' }]);

/** The `paymasterAndData` that the client received; undefined if not sponsored. */
export const promiseIn = ({ result }: RpcReply): string | undefined => {
  const { paymasterAndData = '0x' } = (result ?? {}) as { paymasterAndData?: string };
  return paymasterAndData === '0x' ? undefined : paymasterAndData;
};
