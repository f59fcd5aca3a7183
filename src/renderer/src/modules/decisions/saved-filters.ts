import type { LocationQuery } from 'vue-router';

export interface SavedFilter {
  readonly name: string;
  /** The filter as it is in the page's address. */
  readonly query: Readonly<Record<string, string>>;
}

/** The part of the page's address that is the filter, without the decision that is open next to the list. */
export const filterQuery = ({ open: _open, ...query }: LocationQuery): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const isSavedFilter = (value: unknown): value is SavedFilter => {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('query' in value)) return false;
  const { name, query } = value;
  if (typeof name !== 'string' || typeof query !== 'object' || query === null) return false;
  return Object.values(query).every((field) => typeof field === 'string');
};

/** The filters stored in the browser. Any other stored data is ignored. */
export const savedFilters = (stored: unknown): readonly SavedFilter[] =>
  Array.isArray(stored) ? stored.filter(isSavedFilter) : [];
