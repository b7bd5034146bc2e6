/**
 * Finds the carriers of marks without blocking the event loop. Calls during a scan share the next one: each
 * gets a scan that began after the call, and a busy worker scans once for many attempts.
 */
import { tagsOf } from '../isolation/tag.ts';
import { type Carrier, markOf, processIds } from './processes.ts';

/** Processes checked before yielding: about a millisecond. */
const CHUNK = 50;

/** One for each worker process. */
export class ProcessScan {
  /** The marks of tags in use. */
  readonly tags = new Map<number, string>();
  private latest: Promise<unknown> = Promise.resolve();
  private next: Promise<Carrier[]> | undefined;

  /**
   * Every process that carries a mark, as of this call or later. Rejects if no file descriptor is free for
   * it.
   */
  carriers(): Promise<Carrier[]> {
    this.next ??= this.scanAfterTurn();
    return this.next;
  }

  private async scanAfterTurn(): Promise<Carrier[]> {
    await this.latest;
    await turn();
    this.next = undefined;
    const carriers = scan(this.tags);
    // A failed scan rejects for its callers, and does not affect later ones.
    this.latest = carriers.catch(() => {});
    return carriers;
  }
}

async function scan(tags: ReadonlyMap<number, string>): Promise<Carrier[]> {
  const found: Carrier[] = [];
  const pids = processIds();
  for (let i = 0; i < pids.length; i++) {
    if (i > 0 && i % CHUNK === 0) await turn();
    const carrier = carrierAt(pids[i], tags);
    if (carrier) found.push(carrier);
  }
  return found;
}

/** By its tag if it has one: a task can write anything into its environment. */
function carrierAt(pid: number, tags: ReadonlyMap<number, string>): Carrier | undefined {
  for (const tag of tags.size === 0 ? [] : tagsOf(pid)) {
    const mark = tags.get(tag);
    if (mark !== undefined) return { pid, mark, tag };
  }
  const mark = markOf(pid);
  return mark === undefined ? undefined : { pid, mark };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
