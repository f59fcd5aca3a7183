import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type ResolveName, socketLookup } from '../network/names.ts';
import { WebhookError } from './error.ts';

/** ipaddr.js's names for ranges that can be reached only from this machine or its network. */
const PRIVATE_RANGES = ['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'];

const networks = (...cidrs: string[]) => cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/**
 * Addresses at which clouds give credentials to any process on the machine. In addition, all of 169.254.0.0/16 is
 * refused.
 */
const METADATA = networks(
  '169.254.169.254/32',
  '100.100.100.200/32', // Alibaba, inside the carrier-grade NAT range
  '168.63.129.16/32', // Azure, a public address
  '192.0.0.192/32', // Oracle
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
  'fd00:42::42/128', // Scaleway
);

/** IPv6 networks whose addresses contain an IPv4 address, and the byte at which it starts. */
const CARRIERS: readonly (readonly [network: ReturnType<typeof ipaddr.IPv6.parseCIDR>, offset: number])[] = [
  [ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), 12], // IPv4-mapped
  [ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), 12], // IPv4-translated
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12], // NAT64
  [ipaddr.IPv6.parseCIDR('::/96'), 12], // IPv4-compatible
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2], // 6to4
];

/** The address that packets finally reach, as far as the address itself shows. */
const unwrap = (ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (ip instanceof ipaddr.IPv4 || ip.range() === 'loopback') return ip;
  const carrier = CARRIERS.find(([network]) => ip.match(network));
  return carrier ? new ipaddr.IPv4(ip.toByteArray().slice(carrier[1], carrier[1] + 4)) : ip;
};

/** The only IPv6 addresses that are assigned as global unicast (RFC 4291, 2.4; IANA's registry of the address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** ipaddr.js's name of a range. It calls every IPv6 address in no range that it knows `unicast`. */
const namedRangeOf = (ip: ipaddr.IPv4 | ipaddr.IPv6): string =>
  ip instanceof ipaddr.IPv6 && ip.range() === 'unicast' && !ip.match(GLOBAL_UNICAST) ? 'unassigned' : ip.range();

const rangeOf = (address: string): string => {
  if (isIP(address) === 0) return 'not an IP address';
  const ip = unwrap(ipaddr.parse(address));
  return ipaddr.subnetMatch(ip, { cloudMetadata: METADATA }, namedRangeOf(ip));
};

/**
 * Refuses addresses to which no webhook may resolve: all that are not global unicast, and cloud metadata. This machine and
 * its private networks may be allowed.
 *
 * @throws WebhookError `WEBHOOK_ADDRESS_REFUSED`
 */
export const requireCallable = (address: string, allowPrivate: boolean): void => {
  const range = rangeOf(address);
  const isPrivate = PRIVATE_RANGES.includes(range);
  if (range === 'unicast' || (isPrivate && allowPrivate)) return;
  throw new WebhookError('WEBHOOK_ADDRESS_REFUSED', { address, range, private: isPrivate });
};

/**
 * A `lookup` for Node's sockets. Sockets connect to exactly the addresses that were checked here, so that a second DNS
 * answer cannot redirect them. A single forbidden address causes the whole name to be refused.
 *
 * @param dapp the DApp that owns the webhook, for the limits in `resolve`
 */
export const guardedLookup = (resolve: ResolveName, allowPrivate: boolean, dapp: string | undefined): LookupFunction =>
  socketLookup(
    (hostname) => resolve(hostname, dapp),
    (address) => requireCallable(address, allowPrivate),
  );
