/** An item in a list, by which it can be removed. */
export interface ListEntry<Item> {
  readonly item: Item;
  /** The entries before and after it; undefined at the ends, and once it has been removed. */
  before: ListEntry<Item> | undefined;
  after: ListEntry<Item> | undefined;
}

/** Items in the order in which they were added. */
export interface OrderedList<Item> extends Iterable<Item> {
  readonly size: number;
  readonly first: Item | undefined;
  /** Adds an item at the end. */
  add(item: Item): ListEntry<Item>;
  /** Does nothing if the entry has already been removed. @returns whether it was in the list */
  remove(entry: ListEntry<Item>): boolean;
}

/**
 * Takes the place of a `Set` for what comes and goes with every request. V8 gives a growing or shrinking set a new
 * table, and lets each old table refer to the next one, with all that was in it. Once a table is old, a collection of
 * young objects therefore keeps everything that was ever added later.
 */
export const createOrderedList = <Item>(): OrderedList<Item> => {
  let first: ListEntry<Item> | undefined;
  let last: ListEntry<Item> | undefined;
  let size = 0;
  return {
    get size() {
      return size;
    },
    get first() {
      return first?.item;
    },
    add(item) {
      const entry: ListEntry<Item> = { item, before: last, after: undefined };
      if (last === undefined) first = entry;
      else last.after = entry;
      last = entry;
      size += 1;
      return entry;
    },
    remove(entry) {
      const { before, after } = entry;
      if (before === undefined && entry !== first) return false;
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      entry.before = undefined;
      entry.after = undefined;
      size -= 1;
      return true;
    },
    *[Symbol.iterator]() {
      for (let entry = first; entry !== undefined; entry = entry.after) yield entry.item;
    },
  };
};
