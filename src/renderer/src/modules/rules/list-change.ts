import { grouped } from '../../../../shared/words/amount.ts';

/** What saving a list changes: `Adds 12, removes 3.`; empty if nothing changes. */
export const listChange = (before: readonly string[], after: readonly string[]): string => {
  const [known, later] = [new Set(before), new Set(after)];
  const added = after.filter((one) => !known.has(one)).length;
  const removed = before.filter((one) => !later.has(one)).length;
  const parts = [
    ...(added === 0 ? [] : [`adds ${grouped(added)}`]),
    ...(removed === 0 ? [] : [`removes ${grouped(removed)}`]),
  ];
  const text = parts.join(', ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};
