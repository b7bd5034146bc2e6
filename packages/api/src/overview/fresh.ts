/** Answers that are kept for a moment: however many ask, the store is asked once. */

/** Keeps answers by key for `life` milliseconds of a clock that only runs forward. */
export class Fresh<T> {
  private readonly life: number;
  private readonly now: () => number;
  private readonly known = new Map<string, { readonly at: number; readonly value: Promise<T> }>();

  constructor(life: number, now: () => number) {
    this.life = life;
    this.now = now;
  }

  /** The answer for a key; what failed is not kept. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const now = this.now();
    for (const [each, { at }] of this.known) if (now - at >= this.life) this.known.delete(each);
    const known = this.known.get(key);
    if (known) return known.value;
    const value = make();
    this.known.set(key, { at: now, value });
    value.catch(() => this.known.delete(key));
    return value;
  }
}
