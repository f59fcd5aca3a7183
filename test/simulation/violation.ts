/** A promise of the desk that did not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** Which promise. */
  readonly code: string;

  constructor(code: string, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}
