import { isIPv4 } from 'node:net';

/** Prefix of an IPv4 address as a dual-stack socket reports it. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));

/**
 * Key for counting a peer: an IPv4 address, or the first 64 bits of an IPv6 address, because its owner can choose the
 * other half freely. Undefined for this machine.
 *
 * @param remoteAddress as reported by a socket
 */
export const peerName = (remoteAddress: string): string | undefined => {
  const address = remoteAddress.replace(MAPPED, '').replace(/%.*$/, '');
  if (isIPv4(address)) return address.startsWith('127.') ? undefined : address;
  if (address === '::1') return undefined;
  const [head = '', tail = ''] = address.split('::');
  const zeros = Math.max(0, 8 - groupsOf(head).length - groupsOf(tail).length);
  return [...groupsOf(head), ...Array<string>(zeros).fill('0'), ...groupsOf(tail)].slice(0, 4).join(':');
};
