import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { accountOf, backend } from '../support/people.ts';

const desk = useOfflineDesk();
const SENDER = accountOf(1);

test('a voucher that the command signs is accepted, for its account, until it expires, and the key is not shown', async () => {
  const { dir, call, clock } = desk();
  // The command has the machine's time.
  await clock.sleep(Date.now() - clock.now());
  const { paymasterId, sponsor } = await desk().dapp();
  const policyData = { source: 'VOUCHER', signer: backend.address };
  await call('rules.create', { paymasterId, rule: { name: 'People', policyType: 'IDENTITY', policyData } });
  const keyFile = join(dir, 'voucher.key');
  writeFileSync(keyFile, `${backend.privateKey}\n`);
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    gasdesk(['voucher', 'sign', '--data', dir, '--sender', SENDER, '--subject', 'ada', ...args], env);
  const ofDapp = ['--dapp', paymasterId];
  const by = async (voucher: unknown, sender = SENDER) =>
    codeOf(await sponsor(operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { sender }), { voucher }));

  const { code, stdout, stderr } = await run([...ofDapp, '--key-file', keyFile]);
  expect([code, stderr]).toEqual([0, '']);
  const voucher = JSON.parse(stdout) as { subject: string; expiresAt: number };
  expect(voucher).toEqual({ subject: 'ada', expiresAt: expect.any(Number), signature: expect.stringMatching(/^0x/) });
  expect(Math.abs(voucher.expiresAt - Date.now() / 1000 - 3_600)).toBeLessThan(600);
  expect(await by(voucher)).toBe('SPONSORED');
  expect(await by(voucher, accountOf(2))).toBe('SUBJECT_INVALID');
  expect(await by({ ...voucher, subject: 'grace' })).toBe('SUBJECT_INVALID');

  const another = await run(ofDapp, { GASDESK_VOUCHER_KEY: `0x${'77'.repeat(32)}` });
  expect(await by(JSON.parse(another.stdout))).toBe('SUBJECT_INVALID');
  const wrong = await run(ofDapp, { GASDESK_VOUCHER_KEY: 'my secret phrase' });
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('secp256k1 private key');
  expect(wrong.stderr).not.toContain('my secret phrase');
  expect((await run(ofDapp)).stderr).toContain('Set GASDESK_VOUCHER_KEY, or use --key-file');
  expect((await run(['--dapp', 'nobody', '--key-file', keyFile])).code).toBe(1);
  for (const [typed, answer] of [
    [['--sender', '0x91E60'], 'sender must be an EVM address'],
    [['--subject', ''], 'subject should not be empty'],
  ] as const)
    expect(await run([...ofDapp, '--key-file', keyFile, ...typed])).toMatchObject({
      code: 2,
      stderr: `gasdesk: ${answer}\n`,
    });
});
