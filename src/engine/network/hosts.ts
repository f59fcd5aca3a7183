import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

const HOSTS_FILE =
  process.platform === 'win32' ? join('C:\\Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts';

/** Contains the search domains for short names. Windows has no such file. */
const RESOLV_CONF = '/etc/resolv.conf';

/** Reads a small text file, and again whenever it has changed. A missing file counts as empty. */
const cachedFile = <T>(file: string, parse: (text: string) => T): (() => T) => {
  let version: string | undefined;
  let known = parse('');
  return () => {
    const stat = statSync(file, { throwIfNoEntry: false });
    const found = stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    if (found === version) return known;
    known = parse(stat === undefined ? '' : readFileSync(file, 'utf8'));
    version = found;
    return known;
  };
};

const linesOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.replace(/[#;].*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));

const parseHosts = (text: string): ReadonlyMap<string, readonly string[]> => {
  const hosts = new Map<string, string[]>();
  for (const [address = '', ...names] of linesOf(text)) {
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase()))
      hosts.set(name, [...new Set([...(hosts.get(name) ?? []), address])]);
  }
  return hosts;
};

/** Search domains for short names. A name with at least `dots` dots is first tried unchanged. */
interface Search {
  readonly domains: readonly string[];
  readonly dots: number;
}

const MAX_DOMAINS = 6;

const parseSearch = (text: string): Search => {
  const lines = linesOf(text);
  const [, ...domains] = lines.findLast(([word]) => word === 'search' || word === 'domain') ?? [];
  const dots = lines.flatMap(([word, ...options]) => (word === 'options' ? options : []));
  const [, count = '1'] = /^ndots:(\d{1,2})$/.exec(dots.findLast((option) => option.startsWith('ndots:')) ?? '') ?? [];
  return { domains: domains.slice(0, MAX_DOMAINS), dots: Number(count) };
};

export interface HostNames {
  /** Addresses of a lower-case name from the hosts file, or of `localhost`; otherwise empty. */
  readonly addressesOf: (name: string) => readonly string[];
  readonly candidates: (name: string) => readonly string[];
}

const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

export const readHostNames = (hostsFile = HOSTS_FILE, resolvConf = RESOLV_CONF): HostNames => {
  const hosts = cachedFile(hostsFile, parseHosts);
  const search = cachedFile(resolvConf, parseSearch);
  return {
    // RFC 6761, 6.3: names below localhost are never sent to DNS.
    addressesOf: (name) => hosts().get(name) ?? (isLocalhost(name) ? ['127.0.0.1', '::1'] : []),
    candidates(name) {
      if (name.endsWith('.')) return [name];
      const { domains, dots } = search();
      const longer = domains.map((domain) => `${name}.${domain}`);
      return name.split('.').length > dots ? [name, ...longer] : [...longer, name];
    },
  };
};
