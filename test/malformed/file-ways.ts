import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportText, exportedDecisions } from '../../src/api/decision-export.ts';
import type { Caller } from '../../src/api/index.ts';
import { exportedLog } from '../../src/api/log-export.ts';
import { inspect } from '../../src/core/inspect/inspect.ts';
import { entryProofError, readEntryProof } from '../../src/core/log/tlog-proof.ts';
import { parsePolicyFile } from '../../src/core/policy-file/parse-file.ts';
import { replayExport } from '../../src/core/replay/replay-export.ts';
import { openBackup } from '../../src/engine/backup/open-backup.ts';
import { Secret } from '../../src/engine/base/secret.ts';
import { version as engine } from '../../src/engine/base/version.ts';
import { logCrypto } from '../../src/engine/log/ed25519.ts';
import { logKeyOf, verifyLogFile } from '../../src/engine/log/verify-log.ts';
import { asExpected, readExport } from '../../src/engine/review/export-lines.ts';
import { EngineError } from '../../src/shared/errors.ts';
import { MAX_INSPECTED } from '../../src/shared/schema/inspection.ts';
import type { Draw } from '../support/draw.ts';
import { mutateBytes, mutateJson, mutateText, severalTimes } from './mutate.ts';
import { operationV06, operationV07 } from './network-ways.ts';
import { Finding, type Way, way } from './way.ts';
import { PASSPHRASE, type Prepared } from './world.ts';

/** What the desk has written, and what is malformed to be read again. */
interface Written {
  readonly log: Buffer;
  readonly key: string;
  readonly decisions: Buffer;
  readonly receipt: Buffer;
  readonly backup: Buffer;
  readonly policies: readonly Buffer[];
}

const textOf = async (pieces: AsyncIterable<string>): Promise<Buffer> => {
  let all = '';
  for await (const piece of pieces) all += piece;
  return Buffer.from(all);
};

/** Lets a desk that has decided something write every kind of file. */
export const writeFiles = async (call: Caller, { plain, people }: Prepared, dir: string): Promise<Written> => {
  const [decision] = await call('decisions.list', { limit: 1 });
  if (decision === undefined) throw new Error('There is no decision to write');
  const { receipt } = await call('log.receipt', { decisionId: decision.id });
  const file = join(dir, 'desk.gasdesk-backup');
  await call('backups.create', { file, passphrase: PASSPHRASE });
  const policies = [plain, people].map(
    async ({ paymasterId }) => (await call('policies.export', { paymasterId })).text,
  );
  return {
    log: await textOf(exportedLog(call)),
    key: (await call('log.key', {})).key,
    decisions: await textOf(exportText(exportedDecisions(call, {}), 'jsonl')),
    receipt: Buffer.from(receipt),
    backup: readFileSync(file),
    policies: (await Promise.all(policies)).map((text) => Buffer.from(text)),
  };
};

/** Changes bytes, or a value inside a line of JSON. */
const mutateLines = (bytes: Buffer, draw: Draw): Buffer => {
  if (draw.chance(50)) return mutateBytes(bytes, draw);
  const lines = bytes.toString().split('\n');
  const at = draw.below(lines.length);
  const other = draw.below(lines.length);
  if (draw.chance(30))
    return Buffer.from(
      lines
        .with(at, lines[other] ?? '')
        .with(other, lines[at] ?? '')
        .join('\n'),
    );
  try {
    const changed = JSON.stringify(mutateJson(JSON.parse(lines[at] ?? ''), draw)) ?? '';
    return Buffer.from(lines.with(at, changed).join('\n'));
  } catch {
    return Buffer.from(lines.with(at, mutateText(lines[at] ?? '', draw)).join('\n'));
  }
};

/** Does it; an expected error is an answer, too. */
const answered = async <T>(read: () => Promise<T> | T): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof EngineError && error.code !== 'INTERNAL' && !/\n\s+at /.test(error.message)) return undefined;
    throw error;
  }
};

interface FileWay {
  readonly name: string;
  readonly atATime: number;
  readonly seeds: readonly Buffer[];
  readonly mutate?: (bytes: Buffer, draw: Draw) => Buffer;
  readonly read: (bytes: Buffer) => Promise<unknown>;
}

const fileWay = ({ name, atATime, seeds, mutate = mutateLines, read }: FileWay): Way =>
  way<Buffer>({
    name,
    atATime,
    atOnce: 1,
    isHere: true,
    seeds,
    mutate: (bytes, draw) => severalTimes(bytes, draw, mutate),
    async play(bytes) {
      await read(bytes);
    },
    show: (bytes) => bytes.toString('latin1'),
  });

const nobody = { now: 1_800_000_000, chains: [], contracts: [], signers: [], decided: [] };

const vectorHex = (): string[] => {
  const folder = join(import.meta.dirname, '..', 'vectors');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return [...new Set(texts.flatMap((text) => text.match(/0x[\da-f]{80,20000}/gi) ?? []))];
};

/** Texts of operations, bundles, paymaster data and errors. */
const inspectWay = (): Way =>
  way<unknown>({
    name: 'inspected values',
    atATime: 60,
    atOnce: 1,
    isHere: true,
    seeds: [
      ...vectorHex(),
      operationV06,
      operationV07,
      { params: [operationV07] },
      { error: { code: -32500, data: { reason: 'AA33' } } },
    ],
    mutate: (value, draw) => severalTimes(value, draw, mutateJson),
    async play(value) {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      inspect(text.slice(0, MAX_INSPECTED), nobody);
    },
    show: (value) => JSON.stringify(value) ?? '',
  });

/** Ways into programs that read what the desk has written. @param dir a folder for files */
export const fileWays = ({ log, key, decisions, receipt, backup, policies }: Written, dir: string): Way[] => {
  const file = join(dir, 'malformed');
  const verifierKey = logKeyOf(key);
  const put = (bytes: Buffer): void => writeFileSync(file, bytes);
  return [
    fileWay({
      name: 'logs to verify',
      atATime: 2,
      seeds: [log],
      async read(bytes) {
        put(bytes);
        const report = await answered(() => verifyLogFile(file, { key, withSignatures: false }));
        if (report?.ok === true && !bytes.equals(log)) throw new Finding('An altered log verifies');
      },
    }),
    fileWay({
      name: 'exports to replay',
      atATime: 8,
      seeds: [decisions],
      async read(bytes) {
        put(bytes);
        const read = async function* () {
          try {
            for await (const lines of readExport(file)) yield lines.map(({ decision }) => decision);
          } catch (error) {
            throw asExpected(error, file);
          }
        };
        await answered(() =>
          replayExport(read(), { engine, withSignatures: false, recover: () => undefined, isMeant: () => true }),
        );
      },
    }),
    fileWay({
      name: 'receipts',
      atATime: 40,
      seeds: [receipt],
      async read(bytes) {
        const text = bytes.toString();
        const proof = readEntryProof(text);
        const isProof = proof !== undefined && entryProofError(proof, verifierKey, logCrypto) === undefined;
        if (isProof && readEntryProof(receipt.toString())?.entry !== proof.entry)
          throw new Finding('An altered receipt proves another entry');
      },
    }),
    fileWay({
      name: 'backups to restore',
      atATime: 2,
      seeds: [backup],
      mutate: mutateBytes,
      async read(bytes) {
        put(bytes);
        const opened = await answered(() => openBackup(file, new Secret(PASSPHRASE)));
        opened?.close();
        if (opened !== undefined && !bytes.equals(backup)) throw new Finding('An altered backup opens');
        rmSync(file);
      },
    }),
    fileWay({
      name: 'policy files',
      atATime: 40,
      seeds: policies,
      async read(bytes) {
        await answered(() => parsePolicyFile(bytes.toString()));
      },
    }),
    inspectWay(),
  ];
};
