import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/api/index.ts';
import { exportedLog } from '../../src/api/log-export.ts';
import { parseVerifierKey } from '../../src/core/log/signed-note.ts';
import { entryProofFault, readEntryProof } from '../../src/core/log/tlog-proof.ts';
import { logCrypto } from '../../src/engine/log/ed25519.ts';
import { verifyDesk, verifyLogFile } from '../../src/engine/log/verify-log.ts';
import { sha256 } from '../../src/engine/base/sha256.ts';
import { type OfflineDesk, codeOf, useOfflineDesk } from '../support/offline-desk.ts';
import { operation } from '../support/sponsored-world.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const desk = useOfflineDesk();
const tempFolder = useTempFolders();

const op = (nonce: number) =>
  operation({ to: `0x${'aa'.repeat(20)}`, data: '0x' }, { nonce: `0x${nonce.toString(16)}` });

const callerOf = (of: OfflineDesk): Caller => ((name, input) => of.call(name, input)) as Caller;
const all = { withSignatures: true };

const exported = async (range = {}): Promise<string> => {
  let text = '';
  for await (const part of exportedLog(callerOf(desk()), range)) text += part;
  return text;
};

const fileWith = (text: string): string => {
  const file = join(tempFolder(), 'log.jsonl');
  writeFileSync(file, text);
  return file;
};

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

test('a desk that has decided, limited and restarted has a log that verifies, here and from a file', async () => {
  const dapp = await desk().dapp();
  await desk().limit(dapp, { thresholdType: 'COUNT', threshold: 2 });
  const codes = [];
  for (let nonce = 0; nonce < 4; nonce += 1) codes.push(codeOf(await dapp.sponsor(op(nonce))));
  await desk().restart();
  codes.push(codeOf(await dapp.sponsor(op(9))));
  console.log(codes);
  const report = await verifyDesk(callerOf(desk()), all);
  expect(report.faults).toEqual([]);
  const text = await exported();
  const fromFile = await verifyLogFile(fileWith(text), all);
  expect(fromFile).toMatchObject({ ok: true, faults: [] });
  console.log(linesOf(text).map((line) => line.slice(0, 300)).join('\n'));
});
