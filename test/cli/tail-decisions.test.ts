import { expect, test } from 'vitest';
import { gasdesk } from '../support/cli.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';

const desk = useOfflineDesk();

test('decisions are printed as they are made: what was denied with what would help', async () => {
  const dapp = await desk().dapp();
  const other = await desk().dapp();
  await desk().limit(dapp, { name: 'One', thresholdType: 'COUNT', threshold: 1 });
  const follow = (...args: string[]) => gasdesk(['decisions', 'tail', ...args, '--data', desk().dir]);
  const shown = follow('--dapp', dapp.paymasterId, '--limit', '2');
  const asJson = follow('--limit', '1', '--json');
  // A command that follows starts at the newest decision, so this one is repeated until it has started.
  let isOver = false;
  const ended = Promise.all([shown, asJson]).finally(() => (isOver = true));
  for (let nonce = 0; !isOver; nonce += 1) {
    const op = operation({ to: `0x${'11'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });
    for (const each of [other, dapp]) codeOf(await each.sponsor(op));
  }
  const [text, json] = await ended;
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text!.stdout).toMatch(/^\d\d:\d\d:\d\d {2}denied {5}.*, [\da-f-]{13}\n {10}→ \S.*\n/m);
  expect(text!.stdout.match(/^\d\d:/gm)).toHaveLength(2);
  expect(JSON.parse(json!.stdout)).toMatchObject({ outcome: expect.stringMatching(/^sponsored|denied$/), isNew: true });
});
