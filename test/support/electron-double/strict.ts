/**
 * A partial Electron object that throws on access to a missing member, so that no test passes on a behaviour that is
 * not imitated.
 */
export const strict = <Real extends object>(
  name: string,
  implemented: { readonly [Name in keyof Real]?: unknown },
): Real =>
  new Proxy(implemented, {
    get(target, key, receiver): unknown {
      // Promises look for `then`, printing looks for symbols.
      if (key in target || typeof key === 'symbol' || key === 'then') return Reflect.get(target, key, receiver);
      throw new Error(`The electron double does not implement ${name}.${key}`);
    },
  }) as Real;

/** What Electron passes to listeners of preventable events. */
export interface PreventableEvent {
  readonly defaultPrevented: boolean;
  preventDefault(): void;
}

export const preventable = <Details extends object>(details: Details): Details & PreventableEvent => {
  let defaultPrevented = false;
  return {
    ...details,
    get defaultPrevented() {
      return defaultPrevented;
    },
    preventDefault: () => (defaultPrevented = true),
  };
};
