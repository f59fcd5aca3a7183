import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportText, exportedDecisions } from '../../src/api/decision-export.ts';
import type { Caller, ProcedureInput, ProcedureName } from '../../src/api/index.ts';
import { exportedLog } from '../../src/api/log-export.ts';
import { replayExport } from '../../src/core/replay/replay-export.ts';
import { restoreBackup } from '../../src/engine/backup/restore.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { version as engine } from '../../src/engine/base/version.ts';
import { verifyDesk, verifyLogFile } from '../../src/engine/log/verify-log.ts';
import { readExport } from '../../src/engine/review/export-lines.ts';
import { nativeRecoverSigner as recover } from '../../src/engine/signer/recover-signer.ts';
import { type DeskProcess, PASSPHRASE, type PreparedDapp, startDeskProcess } from './world.ts';

/** Lists without a DApp, and lists of each DApp. */
const LISTS = [
  ...([
    'accounts.list',
    'authTokens.list',
    'chains.list',
    'paymasters.list',
    'feeTokens.list',
    'signers.list',
  ] as const),
  ...([
    'eventWebhooks.list',
    'alerts.list',
    'notifications.list',
    'log.list',
    'decisions.list',
    'exposure.get',
    'costs.get',
  ] as const),
];
const OF_DAPP = [
  'contracts.list',
  'rules.list',
  'webhooks.list',
  'apiKeys.list',
  'policies.history',
  'policies.export',
  'funding.history',
] as const;

/** What is wrong with what a desk has stored, and how much it is. */
export interface ReadAgain {
  readonly faults: readonly string[];
  readonly decisions: number;
  readonly entries: number;
}

const callAny = (call: Caller, name: ProcedureName, input: object): Promise<unknown> =>
  call(name, input as ProcedureInput<typeof name>);

const readLists = async (call: Caller, faults: string[]): Promise<void> => {
  const tryCall = async (name: ProcedureName, input: object): Promise<void> => {
    await callAny(call, name, input).catch((error: unknown) =>
      faults.push(`${name} ${JSON.stringify(input)}: ${String(error)}`),
    );
  };
  for (const name of LISTS) await tryCall(name, {});
  for (const { paymasterId } of await call('paymasters.list', {}))
    for (const name of OF_DAPP) await tryCall(name, { paymasterId });
};

const replayAll = async (file: string): Promise<{ faults: string[]; decisions: number }> => {
  const decisions = async function* () {
    for await (const lines of readExport(file)) yield lines.map(({ decision }) => decision);
  };
  const isMeant = (): boolean => true;
  const report = await replayExport(decisions(), { engine, withSignatures: true, recover, isMeant });
  const faults = report.different.map((difference) => `Decided again, it differs: ${JSON.stringify(difference)}`);
  return { faults, decisions: report.decisions };
};

const verifyAll = async (call: Caller, file: string): Promise<string[]> => {
  await pipeline(Readable.from(exportedLog(call)), createWriteStream(file));
  const reports = [
    await verifyLogFile(file, { withSignatures: false }),
    await verifyDesk(call, { withSignatures: false }),
  ];
  return reports.flatMap(({ ok, faults }) =>
    ok ? [] : faults.map((fault) => `The log does not verify: ${JSON.stringify(fault)}`),
  );
};

/** Requires that an ordinary request is sponsored. */
const checkSponsoring = async (url: URL, { chainId, apiKey }: PreparedDapp, request: string): Promise<string[]> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(new URL(`/api/v1/${chainId}/${apiKey}`, url), { method: 'POST', headers, body: request });
  const text = await answer.text();
  return /"paymasterAndData":"0x[0-9a-f]{40}/.test(text)
    ? []
    : [`An ordinary request is not sponsored: ${text.slice(0, 500)}`];
};

interface Kept {
  readonly desk: DeskProcess;
  readonly data: string;
  readonly dir: string;
  readonly consoleFolder: string;
  readonly plain: PreparedDapp;
  /** An ordinary request, another one each time. */
  readonly request: () => string;
}

/** Reads all that a desk has stored: lists, exports, the log, replayed decisions, after a restart and from a backup. */
export const readAgain = async ({ desk, data, dir, consoleFolder, plain, request }: Kept): Promise<ReadAgain> => {
  const faults: string[] = [];
  const [exported, log, backup] = ['decisions.jsonl', 'log.jsonl', 'all.gasdesk-backup'].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  await readLists(desk.call, faults);
  faults.push(...(await checkSponsoring(desk.url, plain, request())));
  await desk.call('backups.create', { file: backup, passphrase: PASSPHRASE });
  faults.push(...(await desk.stop()).faults);
  const passphrase = new Secret(PASSPHRASE);
  const restored = join(dir, 'restored');
  await restoreBackup({ file: backup, dir: restored, passphrase, now: () => Date.now() });
  let totals = { decisions: 0, entries: 0 };
  for (const folder of [data, restored]) {
    const again = await startDeskProcess(folder, consoleFolder);
    try {
      await readLists(again.call, faults);
      faults.push(...(await verifyAll(again.call, `${log}-${folder === data ? 'own' : 'restored'}`)));
      if (folder !== data) continue;
      await pipeline(
        Readable.from(exportText(exportedDecisions(again.call, {}), 'jsonl')),
        createWriteStream(exported),
      );
      const replayed = await replayAll(exported);
      faults.push(...replayed.faults.slice(0, 20), ...(await checkSponsoring(again.url, plain, request())));
      totals = { decisions: replayed.decisions, entries: (await again.call('log.state', {})).entries };
    } finally {
      faults.push(...(await again.stop()).faults);
    }
  }
  return { faults, ...totals };
};
