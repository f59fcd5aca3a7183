import type { Store } from '../store/store.ts';
import { fixes } from '../base/fixes.ts';
import type { GasSchedule } from '../../core/gas-schedules/gas-schedule.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Soon, soon } from '../base/soon.ts';
import { scheduleAt } from './gas-schedules/schedule-at.ts';
import { EngineError } from '../../shared/errors.ts';
import { quantity } from '../../shared/schema/quantity.ts';
import type { Vault } from '../signer/vault.ts';
import type { Post } from '../network/http-post.ts';
import { type CallOutcome, type CallTarget, type RpcClient, RpcError, createRpcClient } from './rpc.ts';

export interface ChainUrls {
  rpc?: string;
  bundler?: string;
}

export interface ChainAccess {
  /** Full URLs with credentials. @throws EngineError `VAULT_LOCKED` if a URL is in a locked vault */
  urls(chainId: number): Promise<ChainUrls>;
  /**
   * Client of the chain's node; undefined if no RPC URL is set. Before its first request, and then every minute, the
   * client checks the node's chain id, and throws `PAYMASTER_NOT_READY` if it belongs to another chain.
   *
   * @throws EngineError `VAULT_LOCKED`
   */
  rpc(chainId: number): Promise<RpcClient | undefined>;
  /** The chain id that the node at a URL currently reports; undefined if it reports none. */
  chainIdAt(url: string): Promise<number | undefined>;
  /** The chain's gas schedule: the pinned one, else that of its node, else the assumed one. */
  gasSchedule(chainId: number): Soon<GasSchedule>;
  /** Client of the chain's bundler; undefined if none is set. @throws EngineError `VAULT_LOCKED` */
  bundler(chainId: number): Promise<RpcClient | undefined>;
  /** Ends all requests, and refuses further ones. Both throw an Error that no one takes for an answer of a node. */
  close(): void;
}

export const vaultUrlName = (chainId: number, kind: keyof ChainUrls): string => `chain.${chainId}.${kind}`;

/**
 * Whether a URL may contain credentials. Providers put keys into user info, path and query. A bare origin, or a URL of
 * this machine, contains none.
 */
export const carriesCredentials = (url: string): boolean => {
  const { username, password, pathname, search, hostname } = new URL(url);
  const local = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return username !== '' || password !== '' || search !== '' || (pathname !== '/' && !local);
};

const IN_VAULT = '/…';

/** The form of a URL in the vault that is shown and stored unencrypted. */
export const withoutCredentials = (url: string): string => `${new URL(url).origin}${IN_VAULT}`;

/** How long a node's chain id is believed, ms: its URL may come to lead to a node of another chain. */
const BELIEVED_MS = 60_000;

/** Checks the node's chain id before the first request, and again after {@link BELIEVED_MS}. */
const verifying = (
  node: RpcClient,
  chainId: number,
  schedule: () => GasSchedule,
  clock: Pick<Clock, 'monotonic'>,
): RpcClient => {
  let verified: Promise<void> | undefined;
  let verifiedAt = 0;
  const check = async (): Promise<void> => {
    const { data: answered } = quantity.safeParse(await readChainId(node, chainId));
    if (answered !== BigInt(chainId)) {
      const fix = fixes.setRpc(chainId);
      const found =
        answered === undefined
          ? `The node of chain ${chainId} did not return a chain id.`
          : `The node at the RPC URL of chain ${chainId} belongs to chain ${answered}.`;
      throw new EngineError('PAYMASTER_NOT_READY', `${found} ${fix}`, { missing: 'rpc', fix });
    }
  };
  const verify = (): Promise<void> => {
    const at = clock.monotonic();
    if (verified !== undefined && at - verifiedAt < BELIEVED_MS) return verified;
    verifiedAt = at;
    verified = check().catch((error: unknown) => {
      verified = undefined;
      throw error;
    });
    return verified;
  };
  return {
    url: node.url,
    get schedule() {
      return schedule();
    },
    ...(node.answeredAt !== undefined && { answeredAt: node.answeredAt }),
    async send(method, params) {
      await verify();
      return node.send(method, params);
    },
    async call(to, data) {
      await verify();
      return node.call(to, data);
    },
  };
};

/** A client, and the settings with which it was created. */
interface KeptClient {
  readonly settings: string;
  readonly client: RpcClient;
}

/** Reads the node's chain id. For a bad key or a used-up quota, providers return a JSON-RPC error. */
const readChainId = async (node: RpcClient, chainId: number): Promise<unknown> => {
  try {
    return await node.send('eth_chainId', []);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const message = `The node of chain ${chainId} did not return its chain id: ${error.message}`;
    throw new EngineError('CHAIN_UNREACHABLE', message, {}, { cause: error });
  }
};

/**
 * Clients for the chains in the store, with credentials from the vault. A client is kept as long as the settings of its
 * chain.
 *
 * @param onOutcome called with the result of each request to a chain's node or bundler
 * @param post connects to nodes and bundlers; default: with the machine's name resolution
 * @param clock for gas schedules that change at a known time, and for checking nodes again
 * @param timers measure how long nodes and bundlers take to answer
 */
export const createChainAccess = (
  store: Pick<Store, 'findChain'>,
  vault: Vault,
  timeoutMs: number,
  onOutcome: (target: CallTarget, outcome: CallOutcome) => void = () => undefined,
  post?: Post,
  clock: Pick<Clock, 'now' | 'monotonic'> = systemClock,
  timers: Pick<Clock, 'setTimer'> = systemClock,
): ChainAccess => {
  /**
   * By chain, the client with its present settings. One per chain, even if two chains have the same URL, because one of
   * the two must be wrong.
   */
  const kept = { node: new Map<number, KeptClient>(), bundler: new Map<number, KeptClient>() };

  const keep = ({ chainId, kind }: CallTarget, settings: string, create: () => RpcClient): RpcClient => {
    const known = kept[kind].get(chainId);
    if (known?.settings === settings) return known.client;
    const client = create();
    kept[kind].set(chainId, { settings, client });
    return client;
  };
  const closing = new AbortController();
  const connect = (url: string, target: CallTarget): RpcClient => {
    const what = `The ${target.kind} of chain ${target.chainId}`;
    const answered = (outcome: CallOutcome): void => onOutcome(target, outcome);
    return createRpcClient(url, what, timeoutMs, answered, post, timers, closing.signal);
  };

  const urls = async (chainId: number): Promise<ChainUrls> => {
    const settings = await store.findChain(chainId);
    const read = (kind: keyof ChainUrls): ChainUrls => {
      const shown = settings?.[kind];
      if (shown === undefined || shown === null) return {};
      if (!shown.endsWith(IN_VAULT)) return { [kind]: shown };
      const url = vault.state === 'unlocked' ? vault.get(vaultUrlName(chainId, kind)) : undefined;
      if (url === undefined) {
        const fix = fixes.unlockVault;
        const message = `Gasdesk cannot read the ${kind} URL of chain ${chainId} from the vault. ${fix}`;
        throw new EngineError('VAULT_LOCKED', message, { missing: 'vault', fix });
      }
      return { [kind]: url.reveal() };
    };
    return { ...read('rpc'), ...read('bundler') };
  };

  const gasSchedule = (chainId: number): Soon<GasSchedule> =>
    soon(store.findChain(chainId), (chain) => scheduleAt(chain, clock.now()));

  return {
    urls,
    gasSchedule,
    async rpc(chainId) {
      const { rpc } = await urls(chainId);
      if (rpc === undefined) return undefined;
      const chain = await store.findChain(chainId);
      const settings = `${chain?.gasSchedule} ${JSON.stringify(chain?.gasScheduleReading)} ${rpc}`;
      const schedule = (): GasSchedule => scheduleAt(chain, clock.now());
      const target = { chainId, kind: 'node' } as const;
      return keep(target, settings, () => verifying(connect(rpc, target), chainId, schedule, clock));
    },
    async chainIdAt(url) {
      try {
        const node = createRpcClient(url, 'The node', timeoutMs, undefined, post, timers, closing.signal);
        const chainId = Number(quantity.parse(await node.send('eth_chainId', [])));
        return Number.isSafeInteger(chainId) ? chainId : undefined;
      } catch {
        return undefined; // An error in the URL is reported when the URL is used.
      }
    },
    async bundler(chainId) {
      const { bundler } = await urls(chainId);
      const target = { chainId, kind: 'bundler' } as const;
      return bundler === undefined ? undefined : keep(target, bundler, () => connect(bundler, target));
    },
    close: () => closing.abort(new Error('Gasdesk is stopping')),
  };
};
