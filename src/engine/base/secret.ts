const HIDDEN = '[secret]';

/**
 * A value that must not be printed: a key, a token, a passphrase. However it is printed, it prints `[secret]`;
 * `reveal()` is the one way to the value, so that each use can be found by name.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
    Object.freeze(this);
  }

  /** The value itself. Give it to what needs it and to nothing that prints. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.toPrimitive](): string {
    return HIDDEN;
  }

  /** What `util.inspect` and `console.log` call. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
