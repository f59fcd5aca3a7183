type Field<T> = keyof T & string;

/** Fields of a type that are stored in another form: JSON as text, and flags as 0 or 1. Null stays null. */
export const storedAs = <T extends object>(fields: {
  readonly json?: readonly Field<T>[];
  readonly flags?: readonly Field<T>[];
}) => {
  const isOne = (names: readonly string[] | undefined, name: string): boolean => names?.includes(name) === true;
  const changed = (value: object, ofJson: (field: unknown) => unknown, ofFlag: (field: unknown) => unknown) =>
    Object.fromEntries(
      Object.entries(value).map(([name, field]: [string, unknown]) => {
        if (field === null) return [name, field];
        if (isOne(fields.json, name)) return [name, ofJson(field)];
        return [name, isOne(fields.flags, name) ? ofFlag(field) : field];
      }),
    );
  return {
    read: (row: object): T =>
      changed(
        row,
        (text) => JSON.parse(text as string) as unknown,
        (flag) => flag === 1,
      ) as T,
    /** Of all fields of a row, or some. */
    write: (value: Partial<T>): object => changed(value, JSON.stringify, Number),
  };
};
