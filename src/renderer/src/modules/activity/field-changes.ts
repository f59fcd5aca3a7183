import { type Names, changedFields } from '../../../../core/log/change-words.ts';
import type { Change } from '../../../../core/log/entry.ts';
import { grouped } from '../../../../shared/words/amount.ts';
import { exactTime } from '../../ui/time.ts';

/** A changed field. An empty text means that the field did not exist before, or does not exist afterwards. */
export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** SQLite stores booleans as 0 and 1. */
const YES_OR_NO: ReadonlySet<string> = new Set(['active', 'checked', 'preFund']);
const TIMES: ReadonlySet<string> = new Set(['since', 'revokedAt', 'expiresAt', 'backedUpAt']);

const stringText = (field: string, value: string, names: Pick<Names, 'dapp'>): string => {
  if (field === 'dapp') return names.dapp(value) ?? value;
  return field.endsWith('Wei') ? `${grouped(value)} wei` : value;
};

const valueText = (field: string, value: unknown, names: Pick<Names, 'dapp'>): string => {
  if (value === undefined || value === null) return '';
  if (YES_OR_NO.has(field)) return value === 0 ? 'no' : 'yes';
  if (TIMES.has(field) && typeof value === 'number') return exactTime(value);
  if (Array.isArray(value) && !value.some((one) => typeof one === 'object')) return value.join(', ') || 'none';
  return typeof value === 'string' ? stringText(field, value, names) : JSON.stringify(value, null, 2);
};

export const fieldChanges = (change: Change, names: Pick<Names, 'dapp'>): FieldChange[] =>
  changedFields(change).map(({ path, name, before, after }) => ({
    field: name,
    before: valueText(path, before, names),
    after: valueText(path, after, names),
  }));
