/**
 * A rolling window keeps all buckets that count, and at least this many of the newest. Old buckets are dropped by
 * number and not by age: otherwise a clock that is ahead for a moment would permanently remove all of them. The breaker
 * counts 61 buckets.
 */
export const MAX_PARTS = 1_000;

/** The amounts in the buckets of a rolling window. */
export class RollingWindow {
  readonly #parts = new Map<number, bigint>();
  /** The oldest bucket in {@link RollingWindow.#sum}. */
  #since = 0;
  /** Sum of the buckets that counted when it was last asked for. */
  #sum = 0n;

  #addSince(since: number): void {
    const passed = since - this.#since;
    // Reading buckets one by one is faster than adding up all of them, as long as time advances steadily.
    if (passed >= 0 && passed <= this.#parts.size) {
      for (let window = this.#since; window < since; window += 1) this.#sum -= this.#parts.get(window) ?? 0n;
    } else {
      this.#sum = [...this.#parts].reduce((sum, [window, held]) => (window >= since ? sum + held : sum), 0n);
    }
    this.#since = since;
  }

  /** Number of the newest bucket; undefined without buckets. */
  get newest(): number | undefined {
    return this.#parts.size === 0 ? undefined : Math.max(...this.#parts.keys());
  }

  /** Sum of the buckets that count. @param since number of the oldest of them */
  heldSince(since: number): bigint {
    if (since !== this.#since) this.#addSince(since);
    return this.#sum;
  }

  put(window: number, held: bigint): void {
    const before = this.#parts.get(window) ?? 0n;
    this.#parts.set(window, held);
    if (window >= this.#since) this.#sum += held - before;
  }

  /** Adds to a bucket, and drops buckets that no longer count. @param since number of the oldest that counts */
  add(window: number, amount: bigint, since: number): void {
    const isNew = !this.#parts.has(window);
    this.put(window, (this.#parts.get(window) ?? 0n) + amount);
    if (!isNew || this.#parts.size <= MAX_PARTS) return;
    const windows = [...this.#parts.keys()].sort((one, other) => other - one);
    for (const old of windows.slice(MAX_PARTS)) if (old < since) this.#drop(old);
  }

  #drop(window: number): void {
    if (window >= this.#since) this.#sum -= this.#parts.get(window) ?? 0n;
    this.#parts.delete(window);
  }
}
