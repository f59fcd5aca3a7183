import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { openDataFolder } from '../../src/engine/data-folder/data-folder.ts';
import { gasdesk } from '../support/cli.ts';
import { codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/operations.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const tempFolder = useTempFolders();
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

test('a service that ends in the middle of a request has ended, and is not reported as an internal error', async () => {
  const dir = tempFolder();
  const { controlSocket } = openDataFolder(dir);
  const service = createServer((request, response) => {
    if (request.url === '/') response.end(JSON.stringify({ ok: true, output: {} }));
    else request.socket.destroy();
  });
  service.listen(controlSocket);
  await once(service, 'listening');
  try {
    const ended = { code: 1, stdout: '', stderr: `gasdesk: The service on ${dir} has ended\n` };
    expect(await gasdesk(['decisions', 'tail', '--data', dir])).toEqual(ended);
  } finally {
    service.closeAllConnections();
    service.close();
  }
});
