import { accountText, listedAccount } from '../../core/ledger/account.ts';
import { readRecord } from '../../core/decision/stored-record.ts';
import type { Store } from '../store/store.ts';
import type { DecisionColumns, HeldAccountRow, TileRow } from '../store/log-check-store.ts';
import { TILE_HASHES, rootOf } from '../store/log-tiles.ts';

const TILES = 32;
const REVISIONS = 100;

const errorOfTile = (level: number, index: number, tile: TileRow | undefined, hashes: readonly Buffer[]) => {
  const name = `Tile ${index} of level ${level} of the log's tree`;
  if (tile?.tile !== index) return `${name} is missing`;
  if (!tile.hashes.equals(Buffer.concat(hashes))) return `${name} does not contain the hashes below it`;
  return tile.root.equals(rootOf(hashes)) ? undefined : `${name} has a root that differs from its hashes`;
};

/** Stored tiles of the log's tree that differ from the hashes of the entries. */
export const tileFaults = async (store: Pick<Store, 'tiles' | 'leafHashes' | 'logSize'>): Promise<string[]> => {
  const faults: string[] = [];
  let count = Math.floor((await store.logSize()) / TILE_HASHES);
  for (let level = 0; count > 0; level += 1) {
    for (let from = 0; from < count; from += TILES) {
      const end = Math.min(from + TILES, count);
      const range = { start: from * TILE_HASHES, end: end * TILE_HASHES };
      const below =
        level === 0
          ? await store.leafHashes(range)
          : (await store.tiles({ level: level - 1, from: range.start, limit: range.end - range.start })).map(
              ({ root }) => root,
            );
      const tiles = await store.tiles({ level, from, limit: end - from });
      for (let index = from; index < end; index += 1) {
        const start = (index - from) * TILE_HASHES;
        const hashes = below.slice(start, start + TILE_HASHES);
        const error = errorOfTile(level, index, tiles[index - from], hashes);
        if (error !== undefined) faults.push(error);
      }
    }
    count = Math.floor(count / TILE_HASHES);
  }
  return faults;
};

export interface StoredRevisions {
  readonly hashes: string[];
  readonly faults: string[];
  readonly entries: number;
}

/** Hashes of all stored policy revisions, and the faults: revisions that do not match their hash. */
export const storedRevisions = async (store: Pick<Store, 'checkedRevisions'>): Promise<StoredRevisions> => {
  const [hashes, faults]: [string[], string[]] = [[], []];
  let entries = 0;
  for (;;) {
    const rows = await store.checkedRevisions({ after: hashes.at(-1) ?? '', limit: REVISIONS });
    for (const row of rows) {
      hashes.push(row.hash);
      if (!row.isSound) faults.push(`The stored policy revision ${row.hash} has another hash`);
      entries = row.entries;
    }
    if (rows.length < REVISIONS) return { hashes, faults, entries };
  }
};

/** Columns that repeat fields of the record. */
const COLUMNS = [
  ...(['id', 'at', 'paymasterId', 'chainId', 'sender', 'outcome', 'userOpHash', 'validUntil', 'rule'] as const),
];

export const differentColumn = (row: DecisionColumns): string | undefined => {
  try {
    const record = readRecord(row.record);
    return COLUMNS.find((column) => record[column] !== row[column]);
  } catch {
    return 'record';
  }
};

interface HeldAccount {
  /** The account's name, as `accountText` returns it. */
  readonly account: string;
  readonly held: string;
  /** Only for a limit: the `group` of its place. */
  readonly group?: string | undefined;
}

export const heldAccounts = (rows: readonly HeldAccountRow[]): HeldAccount[] =>
  rows.flatMap(({ kind, held, group, ...rest }) =>
    kind === null
      ? []
      : [{ account: accountText(listedAccount({ kind, ...rest })), held, ...(group !== undefined && { group }) }],
  );

/** Describes accounts whose amounts or places in the database differ from those that the log's entries imply. */
export const accountFaults = (
  accounts: readonly HeldAccount[],
  computed: ReadonlyMap<string, bigint>,
  groups: ReadonlyMap<string, string>,
): readonly string[] => {
  const stored = new Map(accounts.map(({ account, held }) => [account, held]));
  const misplaced = accounts.flatMap(({ account, group }) => {
    const should = groups.get(account);
    return group === should || should === undefined
      ? []
      : [`In the database ${account} is in the group ${group}, and in ${should} by the entries`];
  });
  const different = [...new Set([...stored.keys(), ...computed.keys()])].flatMap((account) => {
    const [has, should] = [stored.get(account) ?? '0', String(computed.get(account) ?? 0n)];
    return has === should ? [] : [`In the database ${account} holds ${has}, and ${should} by the entries`];
  });
  return [...different, ...misplaced];
};
