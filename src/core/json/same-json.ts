type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether two values are the same JSON. The order of keys does not matter, because other tools may have written the
 * file.
 */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [fields, others] = [one as Fields, other as Fields];
  // This runs for every value of a record, so it avoids allocating a list of entries.
  let left = 0;
  for (const key of Object.keys(others)) if (others[key] !== undefined) left += 1;
  for (const key of Object.keys(fields)) {
    if (fields[key] === undefined) continue;
    if (!Object.hasOwn(others, key) || !isSame(fields[key], others[key])) return false;
    left -= 1;
  }
  return left === 0;
};
