import { expect, it } from 'vitest';
import { type Store, watched } from './store.ts';

it('the error of a disk is named as such, also if an operation throws it at once', async () => {
  const disk = new Error('disk I/O error');
  const operations = {
    hasOtherAccount: () => {
      throw disk;
    },
    listAccounts: () => Promise.reject(disk),
  } as unknown as Store;
  const store = watched(operations, {
    failed: (cause) => {
      throw new Error('STORAGE_FAILED', { cause });
    },
  });
  const named = expect.objectContaining({ message: 'STORAGE_FAILED', cause: disk });
  expect(() => store.hasOtherAccount({ kind: 'user', id: '1' } as never)).toThrow(named);
  await expect(store.listAccounts()).rejects.toThrow(named);
});
