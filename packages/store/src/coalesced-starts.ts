/**
 * Coalesces single starts: starts that arrive while a write is in flight share the next write. Each gets its
 * own answer; one that is refused or cannot be written fails alone.
 */
import { StoreAway } from './errors.ts';
import type { Asker } from './operations/access/audit.ts';
import type { Submit, Submitted } from './operations/runs/submit.ts';

/** Limit of starts in one write. */
const MOST = 500;

/** A start and its asker. */
export type AskedStart = Submit & { readonly who: Asker | undefined };

interface Waiting {
  readonly start: AskedStart;
  readonly resolve: (answer: Submitted) => void;
  readonly reject: (error: unknown) => void;
}

export class CoalescedStarts {
  private readonly write: (starts: readonly AskedStart[]) => Promise<readonly Submitted[]>;
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(write: (starts: readonly AskedStart[]) => Promise<readonly Submitted[]>) {
    this.write = write;
  }

  /** Queues a start; settles when it is committed or refused. */
  submit(start: AskedStart): Promise<Submitted> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ start, resolve, reject });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    // Starts of the same turn share a write.
    await undefined;
    while (this.waiting.length > 0) await this.writeGroup(this.waiting.splice(0, MOST));
    this.isWriting = false;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.write(group.map(({ start }) => start));
      for (const [k, { resolve }] of group.entries()) resolve(answers[k]);
    } catch (error) {
      if (group.length === 1 || error instanceof StoreAway) for (const { reject } of group) reject(error);
      else await Promise.all(group.map((one) => this.writeGroup([one])));
    }
  }
}
