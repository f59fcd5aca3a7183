/** Something that someone does to the entries of a log. */
export interface Forgery {
  /** The kind of the entry and what was done to it; a path names keys, and has `[]` for places in a list. */
  readonly what: string;
  readonly entries: readonly string[];
}

type Path = readonly (string | number)[];

interface AnyEntry {
  readonly kind: string;
  readonly body: { readonly outcome?: string; readonly settlement?: string };
}

/** A JSON value in which the one at a path is another; undefined takes it away. */
const withValue = (value: unknown, [key, ...rest]: Path, put: (old: unknown) => unknown): unknown => {
  if (key === undefined) return put(value);
  if (Array.isArray(value))
    return value.map((one: unknown, index) => (index === key ? withValue(one, rest, put) : one));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: withValue(fields[key], rest, put) };
};

/** Every place in a JSON value. */
const pathsIn = (value: unknown): Path[] => {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((one: unknown, index) => [index, one])
    : Object.entries(value);
  return entries.flatMap(([key, one]) => [[key], ...pathsIn(one).map((rest) => [key, ...rest])]);
};

const pathText = (path: Path): string => path.map((key) => (typeof key === 'number' ? '[]' : `.${key}`)).join('');

const otherText = (text: string): string => {
  const last = text.at(-1) ?? '';
  const other = /[0-9]/.test(last) ? String((Number(last) + 1) % 10) : last === 'a' ? 'b' : 'a';
  return text === '' ? 'a' : text.slice(0, -1) + other;
};

/** What may stand in place of a value. */
const othersOf = (value: unknown): readonly (readonly [how: string, value: unknown])[] => {
  const removed = ['removed', undefined] as const;
  if (typeof value === 'string') return [['changed', otherText(value)], ['longer', `${value}0`], removed];
  if (typeof value === 'number') return [['changed', value + 1], ['negative', -value - 1], removed];
  if (typeof value === 'boolean') return [['changed', !value], removed];
  if (value === null) return [['changed', 1], ['text', 'a'], removed];
  if (!Array.isArray(value)) return [['more', { ...(value as object), more: 1 }], removed];
  const [first, second, ...rest] = value as unknown[];
  return [
    ['fewer', value.slice(0, -1)],
    ['doubled', [...(value as unknown[]), value.at(-1) ?? 1]],
    ...(second === undefined ? [] : [['reordered', [second, first, ...rest]] as const]),
    removed,
  ];
};

const kindOf = ({ kind, body }: AnyEntry): string => {
  const isCut = body.outcome === 'denied' && !('facts' in body);
  return [kind, isCut ? 'truncated' : (body.outcome ?? body.settlement)].filter(Boolean).join(' ');
};

/** Every change of one value in one entry. */
export const changesOf = (entries: readonly string[]): Forgery[] =>
  entries.flatMap((text, index) => {
    const entry = JSON.parse(text) as AnyEntry;
    return (
      pathsIn(entry)
        // Positions and hashes are made to fit.
        .filter(([key]) => key !== 'entry' && key !== 'previous')
        .flatMap((path) => {
          let others: ReturnType<typeof othersOf> = [];
          withValue(entry, path, (old) => (others = othersOf(old)));
          return others.map(([how, value]) => ({
            what: `${kindOf(entry)}${pathText(path)} ${how}`,
            get entries() {
              return entries.with(index, JSON.stringify(withValue(entry, path, () => value)));
            },
          }));
        })
    );
  });

/** Every entry taken away, doubled, or moved behind the next one. */
export const movesOf = (entries: readonly string[]): Forgery[] =>
  entries.flatMap((text, index) => {
    const kind = kindOf(JSON.parse(text) as AnyEntry);
    const next = entries[index + 1];
    return [
      { what: `${kind} dropped`, entries: entries.toSpliced(index, 1) },
      { what: `${kind} doubled`, entries: entries.toSpliced(index, 0, text) },
      ...(next === undefined
        ? []
        : [
            {
              what: `${kind} moved behind ${kindOf(JSON.parse(next) as AnyEntry)}`,
              entries: entries.with(index, next).with(index + 1, text),
            },
          ]),
    ];
  });

/** Every longer text replaced wherever it stands. */
export const renamesOf = (entries: readonly string[]): Forgery[] => {
  const all = new Map<string, string>();
  for (const text of entries) {
    const entry = JSON.parse(text) as AnyEntry;
    for (const path of pathsIn(entry)) {
      withValue(entry, path, (old) => {
        if (typeof old === 'string' && old.length > 8 && !path.includes('previous') && !all.has(old))
          all.set(old, `${kindOf(entry)}${pathText(path)}`);
        return old;
      });
    }
  }
  return [...all].map(([text, where]) => ({
    what: `${where} renamed everywhere`,
    get entries() {
      const [from, to] = [text, otherText(text)].map((one) => JSON.stringify(one).slice(1, -1));
      return entries.map((line) => line.replaceAll(from ?? '', () => to ?? ''));
    },
  }));
};
