import { expect, test } from 'vitest';
import type { ProcedureOutput } from '../../src/api/index.ts';
import { useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const desk = useOfflineDesk();
const list = async (filter: object): Promise<string[]> =>
  (await desk().call<ProcedureOutput<'decisions.list'>>('decisions.list', filter)).map(({ id }) => id);

test('a decision is found by the hash of its operation in any letter case, and by its id, as soon as it is made', async () => {
  const dapp = await desk().dapp();
  for (const nonce of [1, 2, 3])
    await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce }));
  const [, second] = await dapp.decisions();
  const { id, userOpHash } = second!;
  expect(await list({ userOpHash })).toEqual([id]);
  expect(await list({ userOpHash: `0x${userOpHash!.slice(2).toUpperCase()}` })).toEqual([id]);
  expect(await list({ decisionId: id })).toEqual([id]);
  expect(await list({ decisionId: id, outcome: 'denied' })).toEqual([]);
  expect(await list({ userOpHash: `0x${'00'.repeat(32)}` })).toEqual([]);
  await expect(list({ userOpHash: '0x12' })).rejects.toMatchObject({ message: 'userOpHash must be a 32-byte hash' });
});
