import { expect, test } from 'vitest';
import { requireCallable } from './address-guard.ts';
import { WebhookError } from './error.ts';

const refusal = (address: string, allowPrivate: boolean): unknown => {
  try {
    requireCallable(address, allowPrivate);
    return undefined;
  } catch (error) {
    return error instanceof WebhookError && error.code === 'WEBHOOK_ADDRESS_REFUSED' ? error.evidence['range'] : error;
  }
};

test.each([
  ['169.254.169.254', 'cloudMetadata'],
  ['169.254.170.2', 'linkLocal'],
  ['169.254.0.23', 'linkLocal'],
  ['100.100.100.200', 'cloudMetadata'],
  ['168.63.129.16', 'cloudMetadata'],
  ['192.0.0.192', 'cloudMetadata'],
  ['fd00:ec2::254', 'cloudMetadata'],
  ['fd00:ec2::23', 'cloudMetadata'],
  ['fd20:ce::254', 'cloudMetadata'],
  ['fd00:42::42', 'cloudMetadata'],
  ['fe80::1', 'linkLocal'],
  ['fe80::1%lo', 'linkLocal'],
  ['febf::1', 'linkLocal'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['2001:0:a9fe:a9fe::1', 'teredo'],
  ['fec0::1', 'deprecatedSiteLocal'],
  ['5f00::1', 'segmentRouting'],
  ['::1:0:0:1', 'unassigned'],
  ['200::1', 'unassigned'],
  ['1fff:ffff::1', 'unassigned'],
  ['4000::1', 'unassigned'],
  ['fe00::1', 'unassigned'],
  // The same address written as IPv6.
  ['::ffff:169.254.169.254', 'cloudMetadata'],
  ['::ffff:a9fe:a9fe', 'cloudMetadata'],
  ['0:0:0:0:0:ffff:a9fe:a9fe', 'cloudMetadata'],
  ['::ffff:0:a9fe:a9fe', 'cloudMetadata'],
  ['::169.254.169.254', 'cloudMetadata'],
  ['::a9fe:a9fe', 'cloudMetadata'],
  ['64:ff9b::169.254.169.254', 'cloudMetadata'],
  ['64:ff9b::a9fe:102', 'linkLocal'],
  ['64:ff9b:1::a9fe:a9fe', 'rfc6052'],
  ['64:ff9b:1:a9fe:a9:fe00::', 'rfc6052'],
  ['2002:a9fe:a9fe::', 'cloudMetadata'],
  ['2002:a9fe:a9fe:1:2:3:4:5', 'cloudMetadata'],
  ['::ffff:0.0.0.0', 'unspecified'],
  ['64:ff9b::e000:1', 'multicast'],
  ['2002:ffff:ffff::', 'broadcast'],
  // Invalid answers of a resolver, and notations that connect() may interpret differently.
  ['', 'not an IP address'],
  ['localhost', 'not an IP address'],
  ['2852039166', 'not an IP address'],
  ['0xa9.0xfe.0xa9.0xfe', 'not an IP address'],
  ['0177.0.0.1', 'not an IP address'],
  ['127.1', 'not an IP address'],
])('an operation cannot make the desk call %s (%s), whatever the setting', (address, range) => {
  expect(refusal(address, true)).toBe(range);
  expect(refusal(address, false)).toBe(range);
});

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['fd12:3456::1', 'uniqueLocal'],
  ['fc00::1', 'uniqueLocal'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::c0a8:101', 'private'],
  ['2002:7f00:1::', 'loopback'],
])('%s (%s) can be called where private addresses are allowed, and only there', (address, range) => {
  expect(refusal(address, true)).toBeUndefined();
  expect(refusal(address, false)).toBe(range);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.32.0.1',
  '100.128.0.1',
  '223.255.255.255',
  '2000::1',
  '2606:4700::1111',
  '3ffe::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])('a webhook at the public address %s is called', (address) => {
  expect(refusal(address, true)).toBeUndefined();
  expect(refusal(address, false)).toBeUndefined();
});
