import type { AccountKey, PlacedKey } from '../../../core/ledger/account.ts';
import type { DeskHead } from '../desk-head.ts';
import type { Cells, Lookup, StepRows, Steps, Target } from '../rows.ts';

const GROUP = { columns: 'group_id, name, limits', table: 'limit_group' };
const GROUP_BY_NAME: Lookup = { ...GROUP, keys: { name: 'text' } };
const GROUP_BY_ID: Lookup = { ...GROUP, keys: { group_id: 'bigint' } };
const ROW = { columns: 'row_id, group_id, "user", held', table: 'limit_row' };
const ROW_BY_USER: Lookup = { ...ROW, keys: { group_id: 'bigint', user: 'text' } };
const ROW_BY_ID: Lookup = { ...ROW, keys: { row_id: 'bigint' } };

const NEW_GROUP: Target = {
  table: 'limit_group',
  columns: { group_id: 'bigint', name: 'text', limits: 'text' },
  as: 'insert',
};
const CHANGED_GROUP: Target = { table: 'limit_group', columns: { limits: 'text', group_id: 'bigint' }, as: 'update' };
const NEW_ROW: Target = {
  table: 'limit_row',
  columns: { row_id: 'bigint', group_id: 'bigint', user: 'text', held: 'text' },
  as: 'insert',
};
const CHANGED_ROW: Target = { table: 'limit_row', columns: { held: 'text', row_id: 'bigint' }, as: 'update' };

interface GroupRow {
  readonly groupId: number;
  readonly name: string;
  readonly limits: string;
}

interface LimitRow {
  readonly rowId: number;
  readonly groupId: number;
  readonly user: string;
  readonly held: string;
}

/** The limits whose accounts have rows in common. */
interface Group {
  readonly name: string;
  /** Undefined until an amount is added. */
  groupId: number | undefined;
  /** The slot of each limit, which is the index of its amount in the rows of the group. Slots never change. */
  readonly slots: Map<string, number>;
}

/** The accounts of a user in a group. */
interface UserRow {
  readonly group: Group;
  readonly user: string;
  /** Undefined until an amount is added. */
  rowId: number | undefined;
  /** Amounts by slot. */
  readonly held: bigint[];
}

/** An account of a limit, by the number of its row and its slot. */
interface LimitSlot {
  readonly accountId: number;
  readonly slot: number;
}

/** Memory in bytes, measured with the keys of users. A row takes memory even if it has no amounts. */
const ROW_BYTES = 400;
const AMOUNT_BYTES = 32;
const GROUP_BYTES = 500;
const LIMIT_BYTES = 100;

export const isPlaced = (account: AccountKey): account is PlacedKey => account.place !== undefined;

/** The amounts of a row, in the format of its column `held`. */
const heldText = (held: readonly bigint[]): string => held.join();
export const readHeld = (text: string): bigint[] => text.split(',').map((amount) => BigInt(amount));

/** Names of the limits of a group in the order of their slots, in the format of its column `limits`. */
const limitsText = ({ slots }: Group): string => JSON.stringify([...slots.keys()]);
export const readLimits = (text: string): string[] => JSON.parse(text) as string[];

const groupOf = ({ groupId, name, limits }: GroupRow): Group => ({
  name,
  groupId,
  slots: new Map(readLimits(limits).map((limit, slot) => [limit, slot])),
});

/**
 * The accounts of limits that are stored in rows together: a part of the ledger. Reading and changing a row is the same
 * work for any number of limits, and an amount in memory needs a tenth of what a whole account needs.
 *
 * @param head counts the numbers of rows and groups
 */
export const createLimitRows = (head: Pick<DeskHead, 'accounts'>) => {
  const groups = new Map<string, Group>();
  const groupsById = new Map<number, Group>();
  const rowsByUser = new Map<Group, Map<string, UserRow>>();
  const rowsById = new Map<number, UserRow>();
  let newGroups = new Set<Group>();
  let changedGroups = new Set<Group>();
  let newRows = new Set<UserRow>();
  let changedRows = new Set<UserRow>();
  /** Memory of all groups and rows. */
  let bytes = 0;
  /** The row that was used last. All limits of a decision for each user are in few rows. */
  let last: UserRow | undefined;

  const keepGroup = (group: Group): void => {
    groups.set(group.name, group);
    bytes += GROUP_BYTES + group.slots.size * LIMIT_BYTES;
  };
  const enterGroup = (row: GroupRow): void => {
    const group = groupOf(row);
    keepGroup(group);
    groupsById.set(row.groupId, group);
  };
  const enterRow = (group: Group, user: string, stored?: LimitRow): UserRow => {
    const row: UserRow = { group, user, rowId: stored?.rowId, held: stored === undefined ? [] : readHeld(stored.held) };
    const ofGroup = rowsByUser.get(group) ?? new Map<string, UserRow>();
    rowsByUser.set(group, ofGroup);
    ofGroup.set(user, row);
    if (stored !== undefined) rowsById.set(stored.rowId, row);
    bytes += ROW_BYTES + row.held.length * AMOUNT_BYTES;
    return row;
  };
  const find = ({ place: { group: name }, user = '' }: PlacedKey): UserRow | undefined => {
    if (last?.group.name === name && last.user === user) return last;
    const group = groups.get(name);
    const found = group && rowsByUser.get(group)?.get(user);
    if (found !== undefined) last = found;
    return found;
  };
  const loaded = (key: PlacedKey): UserRow => {
    const found = find(key);
    if (found === undefined) throw new Error(`The limits ${key.place.group} of ${key.user ?? 'all'} are not loaded`);
    return found;
  };
  const nextNumber = (): number => (head.accounts += 1);
  const slotIn = (group: Group, limit: string): number => {
    const known = group.slots.get(limit);
    if (known !== undefined) return known;
    const slot = group.slots.size;
    group.slots.set(limit, slot);
    bytes += LIMIT_BYTES;
    if (group.groupId === undefined) {
      group.groupId = nextNumber();
      groupsById.set(group.groupId, group);
      newGroups.add(group);
    } else changedGroups.add(group);
    return slot;
  };
  const numberOf = (row: UserRow): number => {
    if (row.rowId === undefined) {
      row.rowId = nextNumber();
      rowsById.set(row.rowId, row);
      newRows.add(row);
    } else changedRows.add(row);
    return row.rowId;
  };
  const addTo = (row: UserRow, slot: number, amount: bigint): void => {
    // An array without gaps takes less memory, and is faster.
    for (; row.held.length <= slot; bytes += AMOUNT_BYTES) row.held.push(0n);
    row.held[slot] = (row.held[slot] ?? 0n) + amount;
  };
  const endTransaction = (): void => {
    newGroups = new Set();
    changedGroups = new Set();
    newRows = new Set();
    changedRows = new Set();
  };
  const loadGroups = function* (rows: StepRows, lookup: Lookup, keys: readonly Cells[]): Steps<void> {
    if (keys.length > 0) for (const row of yield* rows.findMany<GroupRow>(lookup, keys)) enterGroup(row);
  };

  return {
    /** About how much memory the accounts take. */
    bytes: () => bytes,
    /** Reads the rows of these accounts, unless they are in memory. */
    *load(rows: StepRows, keys: readonly PlacedKey[]): Steps<void> {
      const missing = keys.filter((key) => find(key) === undefined);
      if (missing.length === 0) return;
      const names = new Set(missing.map(({ place: { group } }) => group));
      const unknown = [...names].filter((name) => !groups.has(name));
      yield* loadGroups(
        rows,
        GROUP_BY_NAME,
        unknown.map((name) => [name]),
      );
      for (const name of unknown) {
        if (!groups.has(name)) keepGroup({ name, groupId: undefined, slots: new Map() });
      }
      const wanted = new Map<string, readonly [Group, string]>();
      for (const { place, user = '' } of missing) {
        const group = groups.get(place.group);
        if (group !== undefined) wanted.set(`${place.group}\n${user}`, [group, user]);
      }
      const stored = [...wanted.values()].flatMap(([{ groupId }, user]) =>
        groupId === undefined ? [] : [[groupId, user]],
      );
      for (const row of stored.length === 0 ? [] : yield* rows.findMany<LimitRow>(ROW_BY_USER, stored)) {
        const group = groupsById.get(row.groupId);
        if (group !== undefined) enterRow(group, row.user, row);
      }
      for (const [group, user] of wanted.values()) if (!rowsByUser.get(group)?.has(user)) enterRow(group, user);
    },
    heldOf(key: PlacedKey): bigint {
      const { group, held } = loaded(key);
      return held[group.slots.get(key.place.name) ?? -1] ?? 0n;
    },
    add(key: PlacedKey, amount: bigint): LimitSlot {
      const row = loaded(key);
      const slot = slotIn(row.group, key.place.name);
      addTo(row, slot, amount);
      return { accountId: numberOf(row), slot };
    },
    /** Adds to accounts by their rows and slots. */
    *adjust(rows: StepRows, changes: readonly (LimitSlot & { readonly amount: bigint })[]): Steps<void> {
      const missing = [...new Set(changes.map(({ accountId }) => accountId))].filter((id) => !rowsById.has(id));
      const stored =
        missing.length === 0
          ? []
          : yield* rows.findMany<LimitRow>(
              ROW_BY_ID,
              missing.map((id) => [id]),
            );
      const unknown = [...new Set(stored.map(({ groupId }) => groupId))].filter((id) => !groupsById.has(id));
      yield* loadGroups(
        rows,
        GROUP_BY_ID,
        unknown.map((id) => [id]),
      );
      for (const row of stored) {
        const group = groupsById.get(row.groupId);
        if (group !== undefined) enterRow(group, row.user, row);
      }
      for (const { accountId, slot, amount } of changes) {
        const row = rowsById.get(accountId);
        if (row === undefined) continue;
        addTo(row, slot, amount);
        if (!newRows.has(row)) changedRows.add(row);
      }
    },
    /** Writes what the transaction has changed. */
    *save(tx: StepRows): Steps<void> {
      const insertedGroups = [...newGroups].map((group): Cells => [
        group.groupId ?? null,
        group.name,
        limitsText(group),
      ]);
      const updatedGroups = [...changedGroups]
        .filter((group) => !newGroups.has(group))
        .map((group): Cells => [limitsText(group), group.groupId ?? null]);
      const insertedRows = [...newRows].map(({ rowId = null, group, user, held }): Cells => [
        rowId,
        group.groupId ?? null,
        user,
        heldText(held),
      ]);
      const updatedRows = [...changedRows]
        .filter((row) => !newRows.has(row))
        .map(({ rowId = null, held }): Cells => [heldText(held), rowId]);
      endTransaction();
      yield* tx.writeMany([
        { to: NEW_GROUP, rows: insertedGroups },
        { to: CHANGED_GROUP, rows: updatedGroups },
        { to: NEW_ROW, rows: insertedRows },
        { to: CHANGED_ROW, rows: updatedRows },
      ]);
    },
    /** Discards everything in memory. */
    forget(): void {
      endTransaction();
      groups.clear();
      groupsById.clear();
      rowsByUser.clear();
      rowsById.clear();
      bytes = 0;
      last = undefined;
    },
  };
};
