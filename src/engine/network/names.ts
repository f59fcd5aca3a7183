import { Resolver } from 'node:dns/promises';
import { type LookupFunction, isIP } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { type HostNames, readHostNames } from './hosts.ts';

class NameError extends Error {
  override readonly name = 'NameError';
  /**
   * `ENOTFOUND`: DNS has no address. `EAI_AGAIN`: DNS did not answer. `LOOKUPS_FULL`: DNS was not queried, because too
   * many look-ups are in progress for the DApp or in total.
   */
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'LOOKUPS_FULL';

  constructor(code: NameError['code'], options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/**
 * Resolves a host name to all its addresses, at least one.
 *
 * @param dapp the DApp whose limit counts the look-up; undefined for the operator's names
 * @throws NameError
 */
export type ResolveName = (hostname: string, dapp?: string) => Promise<readonly string[]>;

export interface Names {
  readonly resolve: ResolveName;
  readonly close: () => void;
}

export interface NamesOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Addresses of DNS servers, with a port if it is not 53. Default: the machine's DNS servers. */
  readonly servers?: readonly string[] | undefined;
  readonly hosts?: HostNames;
}

/** How long to wait for a DNS server's first answer. c-ares doubles this for the second try. */
const TIMEOUT_MS = 800;
const TRIES = 2;
/** Maximum simultaneous look-ups for one DApp, which is higher than the number of webhooks that it may have. */
const MAX_OF_DAPP = 32;
/** Maximum simultaneous look-ups for all DApps. The few names that the operator uses are not counted. */
const MAX_OF_ALL = 1_024;
/** A cached answer expires as DNS specifies, but after this many seconds at the latest. */
const LONGEST_CACHE_S = 30;
const MAX_CACHED = 1_000;

interface Answer {
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/** True if DNS says that a name has no address of this family, which is not an outage. */
const isNone = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(String((error as NodeJS.ErrnoException).code));

const queryFamilies = async (resolver: Resolver, name: string): Promise<Answer> => {
  const queries = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })];
  const answers = await Promise.allSettled(queries);
  const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const unanswered = errors.find((error) => !isNone(error));
  if (records.length > 0)
    return { addresses: records.map(({ address }) => address), seconds: Math.min(...records.map(({ ttl }) => ttl)) };
  // Error codes of c-ares are not passed on, because its ECONNREFUSED refers to a DNS server.
  throw new NameError(unanswered === undefined ? 'ENOTFOUND' : 'EAI_AGAIN', { cause: unanswered ?? errors[0] });
};

/**
 * Resolves names with the hosts file and DNS, never with getaddrinfo. getaddrinfo blocks one of the process's threads
 * until the name is resolved, so a few names that are not answered would block all threads, and with them all other
 * look-ups.
 */
export const createNames = ({ clock, servers, hosts = readHostNames() }: NamesOptions): Names => {
  const cached = new Map<string, { readonly until: number; readonly addresses: readonly string[] }>();
  const inFlight = new Map<string, Promise<readonly string[]>>();
  const counts = new Map<string, number>();
  const resolvers = new Set<Resolver>();
  let counted = 0;

  const queryDns = async (name: string): Promise<Answer> => {
    // A new resolver uses the machine's current DNS servers.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    resolvers.add(resolver);
    try {
      let last: unknown;
      for (const candidate of hosts.candidates(name)) {
        try {
          return await queryFamilies(resolver, candidate);
        } catch (error) {
          if (!(error instanceof NameError) || error.code !== 'ENOTFOUND') throw error;
          last = error;
        }
      }
      throw last;
    } finally {
      resolvers.delete(resolver);
    }
  };

  const keep = (name: string, { addresses, seconds }: Answer): void => {
    const [oldest] = cached.keys();
    if (cached.size >= MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    const forMs = Math.min(seconds, LONGEST_CACHE_S) * 1_000;
    if (forMs > 0) cached.set(name, { addresses, until: clock.monotonic() + forMs });
  };

  const fromCache = (name: string): readonly string[] | undefined => {
    const known = cached.get(name);
    if (known === undefined || known.until > clock.monotonic()) return known?.addresses;
    cached.delete(name);
    return undefined;
  };

  const count = (dapp: string, step: 1 | -1): void => {
    counted += step;
    const left = (counts.get(dapp) ?? 0) + step;
    if (left === 0) counts.delete(dapp);
    else counts.set(dapp, left);
  };

  const resolveByDns = async (name: string, dapp: string | undefined): Promise<readonly string[]> => {
    if (dapp !== undefined) {
      if ((counts.get(dapp) ?? 0) >= MAX_OF_DAPP || counted >= MAX_OF_ALL) throw new NameError('LOOKUPS_FULL');
      count(dapp, 1);
    }
    try {
      const answer = await queryDns(name);
      keep(name, answer);
      return answer.addresses;
    } finally {
      if (dapp !== undefined) count(dapp, -1);
    }
  };

  return {
    async resolve(hostname, dapp) {
      const name = hostname.toLowerCase();
      const local = hosts.addressesOf(name.replace(/\.$/, ''));
      const known = local.length > 0 ? local : (fromCache(name) ?? inFlight.get(name));
      if (known !== undefined) return known;
      const resolution = resolveByDns(name, dapp).finally(() => inFlight.delete(name));
      inFlight.set(name, resolution);
      return resolution;
    },
    close() {
      for (const resolver of resolvers) resolver.cancel();
    },
  };
};

/** A `lookup` for Node's sockets. @param check throws if the address is forbidden */
export const socketLookup =
  (resolve: (hostname: string) => Promise<readonly string[]>, check?: (address: string) => void): LookupFunction =>
  (hostname, { all }, callback) => {
    const find = async (): Promise<{ address: string; family: number }[]> => {
      const addresses = await resolve(hostname);
      if (check !== undefined) for (const address of addresses) check(address);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    };
    find().then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new NameError('ENOTFOUND'), '');
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };
