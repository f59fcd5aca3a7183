import { expect, test } from 'vitest';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import type { SponsoredDapp } from '../support/engine.ts';

const desk = useOfflineDesk();
const [ALICE, BOB] = ['a1', 'b2'].map((byte) => `0x${byte.repeat(20)}`);

let nonce = 0;
const ask = (dapp: SponsoredDapp, sender: string | undefined) => {
  nonce += 1;
  return dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce, sender }));
};
const add = ({ paymasterId }: SponsoredDapp, policyData: object, name = 'List') =>
  desk().call('rules.create', { paymasterId, rule: { name, policyType: 'SENDERS', policyData } });

test('a list that allows sponsors its accounts alone, in any letter case, and says what would help the others', async () => {
  const dapp = await desk().dapp();
  const upper = `0x${ALICE!.slice(2).toUpperCase()}`;
  expect(await add(dapp, { mode: 'ALLOW', addresses: [upper, ALICE] })).toMatchObject({
    policyData: { mode: 'ALLOW', addresses: [ALICE] },
  });
  expect(codeOf(await ask(dapp, ALICE))).toBe('SPONSORED');
  expect(codeOf(await ask(dapp, upper))).toBe('SPONSORED');
  expect((await ask(dapp, BOB)).body.result?.reason).toEqual({
    code: 'SENDER_NOT_ALLOWED',
    rule: 'senders',
    message: `The sender ${BOB} is not on the allow list "List".`,
    hint: `Add ${BOB} to the allow list "List", or use an account that is on it.`,
  });
});

test('a list that denies sponsors all others', async () => {
  const dapp = await desk().dapp();
  await add(dapp, { mode: 'DENY', addresses: [ALICE] });
  expect(codeOf(await ask(dapp, ALICE))).toBe('SENDER_DENIED');
  expect(codeOf(await ask(dapp, BOB))).toBe('SPONSORED');
});

test.each([
  [{ mode: 'ALLOW', addresses: [] }, 'addresses should not be empty'],
  [{ mode: 'ALLOW', addresses: ['0x12'] }, 'addresses[0] must be'],
  [{ mode: 'MAYBE', addresses: [ALICE] }, 'mode must be one of: ALLOW, DENY'],
  [{ addresses: [ALICE] }, 'mode must be one of: ALLOW, DENY'],
])('%o is refused', async (data, words) => {
  await expect(add(await desk().dapp(), data)).rejects.toThrow(words);
});

test('100,000 accounts are kept, found, and come through a restart', async () => {
  const dapp = await desk().dapp();
  const addresses = Array.from({ length: 100_000 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
  await add(dapp, { mode: 'ALLOW', addresses });
  await desk().restart();
  expect(codeOf(await ask(dapp, addresses[99_999]))).toBe('SPONSORED');
  expect(codeOf(await ask(dapp, BOB))).toBe('SENDER_NOT_ALLOWED');
  await expect(add(dapp, { mode: 'DENY', addresses: [...addresses, BOB] }, 'More')).rejects.toThrow(
    'at most 100000 items',
  );
});
