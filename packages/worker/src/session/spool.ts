/**
 * Reports in flight: kept, also on disk, until a master acknowledges them, and resent on every new connection
 * and after a restart. States of a report: waiting -> sent -> acknowledged (gone); sent -> waiting when the
 * connection breaks or no answer comes.
 */
import { type AttemptId, attemptText, type Report } from '@orrery/wire/frames';

/** A report and its epoch: the one in which its attempt was given. */
export interface SpooledReport {
  readonly epoch: number;
  readonly report: Report;
}

/** Storage in which reports outlive the process. */
export interface SpoolStore {
  /** Reports that an earlier process left. */
  load(): SpooledReport[];
  /** Adds reports. They survive the end of the process once this returns. */
  append(reports: readonly SpooledReport[]): void;
  /** Keeps only these reports; all others may be deleted, now or later. */
  compact(wanted: ReadonlyMap<string, SpooledReport>): void;
}

/** Reports in one frame: enough to be cheap, few enough not to delay later frames. */
const FRAME_REPORTS = 1_000;
const FRAME_BYTES = 1_048_576;

interface Entry extends SpooledReport {
  sentAt: number | undefined;
}

/** One for each session. */
export class Spool {
  private readonly store: SpoolStore;
  private readonly entries = new Map<string, Entry>();
  private waiting: Entry[] = [];
  private unwritten: Entry[] = [];

  constructor(store: SpoolStore) {
    this.store = store;
    for (const { epoch, report } of store.load()) this.add(epoch, report);
    this.unwritten = [];
  }

  /** Reports not yet acknowledged. */
  get size(): number {
    return this.entries.size;
  }

  has(attempt: AttemptId): boolean {
    return this.entries.has(attemptText(attempt));
  }

  /** Attempts of an epoch whose reports are not acknowledged. */
  attemptsOf(epoch: number): AttemptId[] {
    return [...this.entries.values()]
      .filter((entry) => entry.epoch === epoch)
      .map(({ report }) => report.attempt);
  }

  add(epoch: number, report: Report): void {
    const entry: Entry = { epoch, report, sentAt: undefined };
    this.entries.set(attemptText(report.attempt), entry);
    this.waiting.push(entry);
    this.unwritten.push(entry);
  }

  /** Writes added reports to disk. Called before sending, once for all that ended in one turn. */
  write(): void {
    if (this.unwritten.length === 0) return;
    this.store.append(this.unwritten.map(({ epoch, report }) => ({ epoch, report })));
    this.unwritten = [];
  }

  /** The next reports to send, all of one epoch; undefined when none waits. */
  next(now: number): { readonly epoch: number; readonly reports: readonly Report[] } | undefined {
    const first = this.waiting[0];
    if (!first) return undefined;
    const { epoch } = first;
    const reports: Report[] = [];
    let bytes = 0;
    let taken = 0;
    for (const entry of this.waiting) {
      if (entry.epoch !== epoch || reports.length === FRAME_REPORTS || bytes > FRAME_BYTES) break;
      taken++;
      // Acknowledged on another connection meanwhile.
      if (this.entries.get(attemptText(entry.report.attempt)) !== entry) continue;
      entry.sentAt = now;
      reports.push(entry.report);
      bytes += roughSize(entry.report);
    }
    this.waiting = this.waiting.slice(taken);
    return { epoch, reports };
  }

  acknowledged(attempts: readonly AttemptId[]): void {
    for (const attempt of attempts) this.entries.delete(attemptText(attempt));
    this.store.compact(this.entries);
  }

  /** Everything sent before `since` and not acknowledged waits again: all of it on a new connection. */
  sendAgain(since = Number.POSITIVE_INFINITY): void {
    this.waiting = [];
    for (const entry of this.entries.values()) {
      if (entry.sentAt !== undefined && entry.sentAt < since) entry.sentAt = undefined;
      if (entry.sentAt === undefined) this.waiting.push(entry);
    }
  }
}

/** In characters, which is accurate enough to keep frames small. */
function roughSize({ outcome, logTail = '' }: Report): number {
  let size = 200 + logTail.length;
  for (const name in outcome.outputs) size += name.length + outcome.outputs[name].length;
  return size;
}

/** A store without storage, for simulations. */
export function forgetfulStore(): SpoolStore {
  return { load: () => [], append() {}, compact() {} };
}
