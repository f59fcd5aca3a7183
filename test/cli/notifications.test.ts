import { expect, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { PASSPHRASE } from '../support/quick-engine.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();

test('what happened is listed, marked as seen, and sent where the operator says', async () => {
  const dir = tempFolder();
  const run = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await gasdesk([...args, '--json', '--data', dir], {
      GASDESK_PASSPHRASE: PASSPHRASE,
    });
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const list = await gasdesk(['notifications', '--data', dir], { GASDESK_PASSPHRASE: PASSPHRASE });
  expect([list.code, list.stdout]).toEqual([0, 'none\n']);
  await run('pause', '--reason', 'Upgrading');
  const told = { kind: 'paused', title: 'All sponsorship is paused', body: 'Upgrading', seen: false, endedAt: null };
  expect(await run('notifications')).toEqual([expect.objectContaining(told)]);
  expect(await run('notifications', 'seen')).toEqual({ unseen: 0 });
  await run('resume');
  expect(await run('notifications', 'list', '--limit', '1')).toEqual([
    expect.objectContaining({ ...told, seen: true, endedAt: expect.any(Number) }),
  ]);
  expect(await run('notifications', 'webhook', '--url', 'http://169.254.169.254/')).toMatchObject({ error: null });
  expect(await run('notifications', 'test')).toMatchObject({ ok: false });
  expect(await run('notifications', 'secret')).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  expect(await run('notifications', 'webhook', '--remove')).toMatchObject({ url: null });
  const both = await gasdesk(['notifications', 'webhook', '--remove', '--url', 'http://x', '--data', dir]);
  expect(both.code).toBe(2);
});
