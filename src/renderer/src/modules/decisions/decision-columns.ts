interface Column {
  readonly title: string;
  /** A CSS grid track. */
  readonly width: string;
  /** Hidden in a list that is not roomy. */
  readonly roomy?: true;
  /** Width in a narrow list. Absent: a usual column is hidden there. */
  readonly narrow?: string;
  /** Shown even on a phone. */
  readonly phone?: true;
  /** Shown by default. */
  readonly usual?: true;
  /** Always shown, because it links to the decision. */
  readonly always?: true;
}

export const columns = {
  seq: { title: 'Number', width: '72px' },
  outcome: { title: 'Outcome', width: '112px', narrow: '108px', phone: true, usual: true },
  at: { title: 'When', width: '108px', narrow: '104px', usual: true },
  dapp: {
    title: 'DApp',
    width: 'minmax(90px, 1fr)',
    narrow: 'minmax(70px, 1fr)',
    phone: true,
    usual: true,
    always: true,
  },
  chain: { title: 'Chain', width: 'minmax(80px, 0.8fr)' },
  sender: { title: 'Sender', width: '112px', usual: true },
  person: { title: 'Person', width: '112px' },
  calls: { title: 'Operation', width: 'minmax(110px, 1.6fr)', roomy: true, usual: true },
  reason: { title: 'Reason', width: 'minmax(120px, 2.4fr)', narrow: 'minmax(90px, 1.6fr)', phone: true, usual: true },
  code: { title: 'Code', width: 'minmax(120px, 1.2fr)' },
  mode: { title: 'Mode', width: '96px' },
  settlement: { title: 'Settlement', width: '104px' },
  cost: { title: 'Cost', width: '136px', usual: true },
} as const satisfies Readonly<Record<string, Column>>;

export type ColumnName = keyof typeof columns;

const entries = Object.entries(columns) as [ColumnName, Column][];

export const choosableColumns = entries.filter(([, { always }]) => always !== true);

/** The columns to show, in order: those chosen, or the default ones if none were chosen. */
export const shownColumns = (chosen: unknown): ColumnName[] =>
  entries
    .filter(([name, { usual, always }]) => always ?? (Array.isArray(chosen) ? chosen.includes(name) : usual))
    .map(([name]) => name);

/** Columns that the operator adds stay in every list, which scrolls if they do not fit. */
const isAdded = ({ usual }: Column): boolean => usual !== true;

/** Grid tracks of a row: in a roomy, a wide and a narrow list, and on a phone. */
export const tracksOf = (
  shown: readonly ColumnName[],
): { roomy: string; wide: string; narrow: string; phone: string } => {
  const those = entries.filter(([name]) => shown.includes(name)).map(([, column]) => column);
  const narrow = those.filter((column) => column.narrow !== undefined || isAdded(column));
  return {
    roomy: those.map(({ width }) => width).join(' '),
    wide: those
      .filter(({ roomy }) => roomy === undefined)
      .map(({ width }) => width)
      .join(' '),
    narrow: narrow.map((column) => column.narrow ?? column.width).join(' '),
    phone: narrow
      .filter((column) => column.phone ?? isAdded(column))
      .map((column) => column.narrow ?? column.width)
      .join(' '),
  };
};

/** The CSS class that hides a column where it has no room. */
export const leftOut = (name: ColumnName): 'roomy-only' | 'wide-only' | 'no-phone' | undefined => {
  const column: Column = columns[name];
  const { roomy, narrow, phone } = column;
  if (isAdded(column)) return undefined;
  if (roomy) return 'roomy-only';
  if (narrow === undefined) return 'wide-only';
  return phone ? undefined : 'no-phone';
};
