import type { LocationQuery } from 'vue-router';

/** A filter of the decisions under a name. */
export interface SavedFilter {
  readonly name: string;
  /** As it stands in the page's address. */
  readonly query: Readonly<Record<string, string>>;
}

/** What belongs to the filter in the page's address: not the decision that is open beside the list. */
export const filterQuery = ({ open: _open, ...query }: LocationQuery): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const isSavedFilter = (value: unknown): value is SavedFilter => {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('query' in value)) return false;
  const { name, query } = value;
  if (typeof name !== 'string' || typeof query !== 'object' || query === null) return false;
  return Object.values(query).every((field) => typeof field === 'string');
};

/** The filters that a browser has kept, from whatever stands in its storage. */
export const savedFilters = (kept: unknown): readonly SavedFilter[] =>
  Array.isArray(kept) ? kept.filter(isSavedFilter) : [];
