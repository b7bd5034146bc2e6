/**
 * The runs that this master owns, in memory. An event is decided and applied at once; its changes are
 * collected for the next commit. Nothing here writes to the store or waits.
 */
import { InvalidInput } from '@orrery/core/errors';
import { type Alarm, apply, decide, type Happening, type Ticket } from '@orrery/core/run';
import { readyRow } from '../dispatch/ready-row.ts';
import type { Context } from '../ports.ts';
import { Alarms } from './alarms.ts';
import type { Pending } from './pending.ts';
import type { RunEntry } from './run-entry.ts';

export class RunMemory {
  private readonly context: Context;
  private readonly entries = new Map<number, RunEntry>();
  private readonly alarms: Alarms;

  /** `ring` is called when an alarm is due. */
  constructor(context: Context, ring: (run: number, alarm: Alarm) => void) {
    this.context = context;
    this.alarms = new Alarms(context.clock, ring);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Count of runs that can make progress. */
  get working(): number {
    let count = 0;
    for (const { unserved } of this.entries.values()) if (!unserved) count++;
    return count;
  }

  all(): Iterable<RunEntry> {
    return this.entries.values();
  }

  has(run: number): boolean {
    return this.entries.has(run);
  }

  get(run: number): RunEntry | undefined {
    return this.entries.get(run);
  }

  /** Whether this entry is the current one of its run: a run may have left and come back. */
  isCurrent(entry: RunEntry): boolean {
    return this.entries.get(entry.id) === entry;
  }

  add(entry: RunEntry): void {
    this.entries.set(entry.id, entry);
  }

  /** Removes the run with its alarms. */
  remove(entry: RunEntry): void {
    if (this.isCurrent(entry)) this.entries.delete(entry.id);
    this.alarms.cancel(entry);
  }

  /** Sets an alarm for a run. */
  setAlarm(entry: RunEntry, alarm: Alarm): void {
    this.alarms.set(entry, alarm);
  }

  /** Decides an event, applies it, and adds its changes to `pending`. */
  decide(entry: RunEntry, event: Happening, pending: Pending): void {
    const facts = { given: entry.given, most: this.context.config.beginBatch };
    const decision = decide(entry.run, event, facts);
    apply(entry.run, decision.changes);
    pending.add(decision);
    for (const ticket of decision.changes.enqueue) this.enqueue(entry, ticket, pending);
  }

  stop(): void {
    this.alarms.stop();
  }

  /** An attempt fails if its parameters cannot be resolved. */
  private enqueue(entry: RunEntry, ticket: Ticket, pending: Pending): void {
    try {
      pending.enqueue.push(readyRow(entry, ticket, this.context.config.id));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const { attempt } = ticket;
      const outcome = { state: 'failed', error: error.message, fatal: true } as const;
      this.decide(entry, { now: this.context.clock.now(), type: 'outcome', attempt, outcome }, pending);
    }
  }
}
