/** A column of the list of decisions. */
interface Column {
  readonly title: string;
  /** As CSS takes it for a track of a grid. */
  readonly width: string;
  /** There also where the list is narrow, and with this width. */
  readonly narrow?: string;
  /** There even where the list is as narrow as on a phone. */
  readonly phone?: true;
  /** Shown unless the operator chose otherwise. */
  readonly usual?: true;
  /** Always shown: it links to the decision. */
  readonly always?: true;
}

/** Every column by its name, in their order. */
export const columns = {
  seq: { title: 'Number', width: '72px' },
  outcome: { title: 'Outcome', width: '112px', narrow: '108px', phone: true, usual: true },
  at: { title: 'When', width: '108px', narrow: '104px', phone: true, usual: true },
  dapp: {
    ...{ title: 'DApp', width: 'minmax(90px, 1fr)', narrow: 'minmax(70px, 1fr)' },
    ...{ phone: true, usual: true, always: true },
  },
  chain: { title: 'Chain', width: 'minmax(80px, 0.8fr)' },
  sender: { title: 'Sender', width: '112px', usual: true },
  reason: { title: 'Reason', width: 'minmax(120px, 2.4fr)', narrow: 'minmax(90px, 1.6fr)', usual: true },
  code: { title: 'Code', width: 'minmax(120px, 1.2fr)' },
  mode: { title: 'Mode', width: '96px' },
  settlement: { title: 'Settlement', width: '104px' },
  cost: { title: 'Cost', width: '136px', usual: true },
} as const satisfies Readonly<Record<string, Column>>;

/** The name of a column. */
export type ColumnName = keyof typeof columns;

const entries = Object.entries(columns) as [ColumnName, Column][];

/** The columns that an operator may take away or add. */
export const choosableColumns = entries.filter(([, { always }]) => always !== true);

/** The columns to show, in their order: those that were chosen, or the usual ones where nothing was. */
export const shownColumns = (chosen: unknown): ColumnName[] =>
  entries
    .filter(([name, { usual, always }]) => always ?? (Array.isArray(chosen) ? chosen.includes(name) : usual))
    .map(([name]) => name);

/** The tracks of a row as a wide list has them, a narrow one, and one on a phone. */
export const tracksOf = (shown: readonly ColumnName[]): { wide: string; narrow: string; phone: string } => {
  const those = entries.filter(([name]) => shown.includes(name)).map(([, column]) => column);
  const narrow = those.filter((column) => column.narrow !== undefined);
  return {
    wide: those.map(({ width }) => width).join(' '),
    narrow: narrow.map((column) => column.narrow).join(' '),
    phone: narrow
      .filter(({ phone }) => phone)
      .map((column) => column.narrow)
      .join(' '),
  };
};

/** Says by a class of CSS which lists leave a column out. */
export const leftOut = (name: ColumnName): 'wide-only' | 'no-phone' | undefined => {
  const { narrow, phone }: Column = columns[name];
  if (narrow === undefined) return 'wide-only';
  return phone ? undefined : 'no-phone';
};
