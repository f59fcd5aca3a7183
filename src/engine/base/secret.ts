const HIDDEN = '[secret]';

/**
 * A value that must not be printed: a key, a token, a passphrase. It always prints as `[secret]`. Only `reveal()`
 * returns the value, so every use can be searched by name.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
    Object.freeze(this);
  }

  /** Returns the value. Pass it only to code that needs it and never prints. */
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
