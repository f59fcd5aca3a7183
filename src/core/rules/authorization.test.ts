import { SigningKey, computeAddress, hashAuthorization, toBeHex } from 'ethers';
import { expect, test } from 'vitest';
import { rpcOperationV07With } from '../../../test/support/facts.ts';
import { decided } from '../../../test/support/situation.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import type { Eip7702Authorization } from '../../shared/schema/user-operation.ts';

const key = new SigningKey(`0x${'a1'.repeat(32)}`);
const owner = computeAddress(key) as Address;
const delegate: Address = `0x${'de'.repeat(20)}`;
const unsigned = { address: delegate, chainId: 31_337n, nonce: 0n };
const { r, s, yParity } = key.sign(hashAuthorization(unsigned));
const signed = { ...unsigned, r: r as Hex, s: s as Hex, yParity: BigInt(yParity) };
const ZERO: Hex = `0x${'00'.repeat(32)}`;

const stepOf = (sender: Address, eip7702Auth: Eip7702Authorization) => {
  const op = rpcOperationV07With({ sender, factory: '0x7702', eip7702Auth });
  const { steps } = decided({ dapp: { version: 'verifying-0.8' }, facts: { op, delegate } });
  return steps.find((step) => step.rule === 'authorization');
};

test.each<[string, Eip7702Authorization, Address, object]>([
  ['SIGNED_BY_SENDER', signed, owner, { delegate, signer: owner }],
  ['NOT_SIGNED_BY_SENDER', signed, delegate, { delegate, signer: owner }],
  // Changing a signed field makes the signature recover to another account.
  ['NOT_SIGNED_BY_SENDER', { ...signed, nonce: 1n }, owner, { delegate, signer: expect.any(String) }],
  ['NOT_SIGNED_YET', { ...signed, r: ZERO, s: ZERO, yParity: 0n }, owner, { delegate }],
  ['SIGNATURE_OF_NOBODY', { ...signed, r: ZERO }, owner, { delegate }],
  ['SIGNATURE_OF_NOBODY', { ...signed, r: toBeHex(5, 32) as Hex }, owner, { delegate }],
])('an EIP-7702 authorisation informs, and denies nothing: %s', (code, authorization, sender, evidence) => {
  expect(stepOf(sender, authorization)).toMatchObject({ outcome: 'pass', code, evidence });
});

test('an operation without one leaves no step', () => {
  const facts = { op: rpcOperationV07With() };
  const { steps } = decided({ dapp: { version: 'verifying-0.8' }, facts });
  expect(steps.map((step) => step.rule)).not.toContain('authorization');
});
