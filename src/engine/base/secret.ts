const HIDDEN = '[secret]';

/**
 * A value that must not be printed, such as a key, a token or a passphrase. It always prints as `[secret]`. Only
 * `reveal()` returns the value, so all uses can be found by searching for that name.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
    Object.freeze(this);
  }

  /** Returns the value. Pass it only to code that needs it and never prints it. */
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

  /** Called by `util.inspect` and `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}
