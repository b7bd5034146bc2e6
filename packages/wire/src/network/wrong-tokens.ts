/**
 * Counts wrong tokens by address: an address that shows too many in a minute is refused until the minute is
 * over.
 */

const MOST = 20;
const MINUTE = 60_000;
/** Limit of remembered addresses; the oldest is dropped first. */
const MOST_ADDRESSES = 10_000;

/** Counter of wrong tokens; one per server. */
export class WrongTokens {
  private readonly counts = new Map<string, { since: number; count: number }>();
  private readonly now: () => number;
  private readonly told: (text: string) => void;

  /** `told` is called once for each minute in which an address is refused. */
  constructor(told: (text: string) => void, now: () => number = () => performance.now()) {
    this.told = told;
    this.now = now;
  }

  /** Whether an address is refused. */
  isBarred(address: string): boolean {
    const found = this.counts.get(address);
    return found !== undefined && found.count >= MOST && this.now() - found.since < MINUTE;
  }

  /** Counts a wrong token of an address. */
  count(address: string): void {
    const found = this.counts.get(address);
    const open = found !== undefined && this.now() - found.since < MINUTE;
    const entry = open ? found : { since: this.now(), count: 0 };
    entry.count++;
    this.counts.delete(address);
    this.counts.set(address, entry);
    const [oldest] = this.counts.keys();
    if (this.counts.size > MOST_ADDRESSES) this.counts.delete(oldest);
    if (entry.count === 1) this.told(`${address} has shown a wrong join token`);
    if (entry.count === MOST)
      this.told(`${address} has shown ${MOST} wrong join tokens and waits for a minute`);
  }
}
