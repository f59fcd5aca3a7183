import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { codesOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';

const desk = useOfflineDesk();
const op = (nonce: number) => operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }, { nonce });

test('operations are sponsored while the passphrase is changed, and afterwards', async () => {
  const dapp = await desk().dapp();
  const changing = desk().call('vault.setPassphrase', { current: PASSPHRASE, passphrase: 'new horse battery' });
  const meanwhile = await Promise.all(Array.from({ length: 20 }, (_, nonce) => dapp.sponsor(op(nonce))));
  await changing;
  const afterwards = await Promise.all(Array.from({ length: 5 }, (_, nonce) => dapp.sponsor(op(100 + nonce))));
  expect(codesOf([...meanwhile, ...afterwards])).toEqual({ SPONSORED: 25 });
  await desk().call('vault.setPassphrase', { current: 'new horse battery', passphrase: PASSPHRASE });
});

test('without the current passphrase, or with a wrong one, it stays as it was', async () => {
  for (const current of [undefined, 'wrong']) {
    await expect(
      desk().call('vault.setPassphrase', { current, passphrase: 'a thief of phrases' }),
    ).rejects.toMatchObject({ code: 'VAULT_PASSPHRASE_WRONG' });
  }
  await desk().restart();
  expect(await desk().call('system.info', {})).toMatchObject({ vault: 'unlocked' });
});

test('on the command line it is changed through the running service, and on the files', async () => {
  const file = join(desk().dir, '..', `new-passphrase-${process.pid}`);
  const change = (passphrase: string, to: string) => {
    writeFileSync(file, `${to}\n`);
    const args = ['vault', 'passphrase', '--new-passphrase-file', file, '--data', desk().dir];
    return gasdesk(args, { GASDESK_PASSPHRASE: passphrase });
  };
  try {
    expect(await change('wrong', 'a thief of phrases')).toMatchObject({
      code: 1,
      stderr: 'gasdesk: Wrong passphrase: the vault stays locked\n',
    });
    expect(await change(PASSPHRASE, 'new horse battery')).toMatchObject({ code: 0, stderr: '' });
    await desk().engine().stop();
    expect(await change('new horse battery', PASSPHRASE)).toMatchObject({ code: 0, stderr: '' });
    await desk().restart();
    expect(await desk().call('system.info', {})).toMatchObject({ vault: 'unlocked' });
  } finally {
    rmSync(file);
  }
});
