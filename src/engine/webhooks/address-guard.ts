import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type ResolveName, socketLookup } from '../network/names.ts';
import { WebhookFault } from './fault.ts';

/** Ranges by ipaddr.js's names that are reached from this machine or its network only. */
const PRIVATE_RANGES = ['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'];

const networks = (...cidrs: string[]) => cidrs.map((cidr) => ipaddr.parseCIDR(cidr));

/** Where clouds hand credentials to whoever asks from the machine. Beyond these, 169.254.0.0/16 is refused as a whole. */
const METADATA = networks(
  '169.254.169.254/32',
  '100.100.100.200/32', // Alibaba, amid the carrier-grade NAT range
  '168.63.129.16/32', // Azure, a public address
  '192.0.0.192/32', // Oracle
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
  'fd00:42::42/128', // Scaleway
);

/** IPv6 networks whose addresses carry an IPv4 address, and the byte where it begins. */
const CARRIERS: readonly (readonly [network: ReturnType<typeof ipaddr.IPv6.parseCIDR>, offset: number])[] = [
  [ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), 12], // IPv4-mapped
  [ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), 12], // IPv4-translated
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12], // NAT64
  [ipaddr.IPv6.parseCIDR('::/96'), 12], // IPv4-compatible
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2], // 6to4
];

/** The address that packets in the end go to, as far as the address tells. */
const unwrap = (ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (ip instanceof ipaddr.IPv4 || ip.range() === 'loopback') return ip;
  const carrier = CARRIERS.find(([network]) => ip.match(network));
  return carrier ? new ipaddr.IPv4(ip.toByteArray().slice(carrier[1], carrier[1] + 4)) : ip;
};

const rangeOf = (address: string): string => {
  if (isIP(address) === 0) return 'not an IP address';
  const ip = unwrap(ipaddr.parse(address));
  return ipaddr.subnetMatch(ip, { cloudMetadata: METADATA }, ip.range());
};

/**
 * Refuses addresses where a webhook must not be: those of the link, of cloud metadata, of groups, of nobody; and,
 * unless allowed, those of this machine and its private networks. What is not known to be harmless is refused.
 *
 * @throws WebhookFault `WEBHOOK_ADDRESS_REFUSED`
 */
export const requireCallable = (address: string, allowPrivate: boolean): void => {
  const range = rangeOf(address);
  const isPrivate = PRIVATE_RANGES.includes(range);
  if (range === 'unicast' || (isPrivate && allowPrivate)) return;
  throw new WebhookFault('WEBHOOK_ADDRESS_REFUSED', { address, range, private: isPrivate });
};

/**
 * A `lookup` for Node's sockets: they connect to the very addresses that were checked here, so that a second answer
 * of the DNS cannot lead them elsewhere. One bad address among several refuses the name.
 *
 * @param dapp whose webhook it is, for the bounds of `resolve`
 */
export const guardedLookup = (resolve: ResolveName, allowPrivate: boolean, dapp: string | undefined): LookupFunction =>
  socketLookup(
    (hostname) => resolve(hostname, dapp),
    (address) => requireCallable(address, allowPrivate),
  );
