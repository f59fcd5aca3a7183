import { expect, test } from 'vitest';
import { type CreationFailure, checkValidity } from './validity.ts';

/** The fourth nonce of nonce key 7. */
const NEXT = (7n << 64n) + 3n;

test.each<[string, { deploys: boolean; hasCode: boolean; nonce: bigint }, string]>([
  ['of an account that is there', { deploys: false, hasCode: true, nonce: NEXT }, 'MAY_BE_VALID'],
  ['of a queue: others come before it', { deploys: false, hasCode: true, nonce: NEXT + 9n }, 'MAY_BE_VALID'],
  ['that makes its account', { deploys: true, hasCode: false, nonce: NEXT }, 'MAY_BE_VALID'],
  ['that makes its account once more', { deploys: true, hasCode: true, nonce: NEXT }, 'SENDER_HAS_CODE'],
  ['of no account', { deploys: false, hasCode: false, nonce: NEXT }, 'SENDER_WITHOUT_CODE'],
  ['of a nonce that was mined', { deploys: false, hasCode: true, nonce: NEXT - 1n }, 'NONCE_USED'],
])('an operation %s', (_what, facts, code) => {
  expect(checkValidity({ ...facts, nextNonce: NEXT })).toEqual({
    outcome: code === 'MAY_BE_VALID' ? 'pass' : 'deny',
    code,
    evidence: { nonce: String(facts.nonce), nextNonce: String(NEXT) },
  });
});

const FACTORY = `0x${'fa'.repeat(20)}` as const;
const failing = (aaCode: CreationFailure) => ({ aaCode, factory: FACTORY, verificationGasLimit: 500_000n });

test.each([
  ['AA13', 'FACTORY_FAILED'],
  ['AA14', 'FACTORY_MADE_OTHER_ACCOUNT'],
  ['AA15', 'FACTORY_MADE_NO_ACCOUNT'],
] as const)('an operation whose account the EntryPoint refuses by %s', (aaCode, code) => {
  const facts = { deploys: true, hasCode: false, nonce: NEXT, nextNonce: NEXT, failedCreation: failing(aaCode) };
  const nonces = { nonce: String(NEXT), nextNonce: String(NEXT) };
  expect(checkValidity(facts)).toEqual({
    outcome: 'deny',
    code,
    evidence: { ...nonces, factory: FACTORY, verificationGasLimit: '500000' },
  });
});

test('an account that is there already is not said to be impossible to make', () => {
  const facts = { deploys: true, hasCode: true, nonce: NEXT, nextNonce: NEXT, failedCreation: failing('AA13') };
  expect(checkValidity(facts)).toMatchObject({ code: 'SENDER_HAS_CODE' });
});
