/**
 * Copies what elastic jobs did from their registries into the store: the instances keep only their last rounds, and
 * have no server to report to. A job is read when something of it has changed, at most once a pause. While no api
 * runs nothing is copied; numbers in the registry say how much is missing then.
 *
 * watching -(session lost)-> waiting -> watching; -> stopped
 */
import type { Clock } from '@orrery/core/timing';
import { type JobDetails, type JobOperator, JobRefusal } from '@orrery/elastic/board';
import { isRegistryError, type Watch } from '@orrery/registry';
import { isOutage, type JobEvent, type Store } from '@orrery/store';

export interface CollectorPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly onDefect: (error: unknown) => void;
}

/** Between two passes. An instance keeps ten rounds: enough for a job that runs ten times a second. */
const PAUSE = 500;
/** Jobs that are read at the same time. */
const AT_ONCE = 8;
/** Before a registry that did not answer is asked again. */
const RETRY = 5_000;

export class JobCollector {
  private readonly center: string;
  private readonly operator: JobOperator;
  private readonly ports: CollectorPorts;
  /** Jobs that have changed since they were read. */
  private readonly dirty = new Set<string>();
  private watch: Watch | undefined;
  private passing = false;
  private stopped = false;

  constructor(center: { readonly name: string; readonly operator: JobOperator }, ports: CollectorPorts) {
    this.center = center.name;
    this.operator = center.operator;
    this.ports = ports;
    if (this.operator.watch) void this.begin();
  }

  stop(): void {
    this.stopped = true;
    this.watch?.stop();
  }

  private async begin(): Promise<void> {
    if (this.stopped) return;
    try {
      this.watch = await this.operator.watch?.(
        (job) => (job === undefined ? void this.readAll() : this.changed(job)),
        () => this.again(),
      );
      if (this.stopped) this.watch?.stop();
      await this.readAll();
    } catch (error) {
      this.tell(error);
      this.again();
    }
  }

  private again(): void {
    this.watch?.stop();
    this.watch = undefined;
    if (!this.stopped) this.ports.clock.setTimer(RETRY, () => void this.begin());
  }

  private async readAll(): Promise<void> {
    try {
      for (const { name } of await this.operator.list()) this.changed(name);
    } catch (error) {
      this.tell(error);
    }
  }

  private changed(job: string): void {
    this.dirty.add(job);
    if (!this.passing && !this.stopped) void this.pass();
  }

  /** Reads what has changed until nothing has, with pauses. */
  private async pass(): Promise<void> {
    this.passing = true;
    while (this.dirty.size > 0 && !this.stopped) {
      const jobs = [...this.dirty].values();
      this.dirty.clear();
      const lane = async () => {
        for (const job of jobs) if (!this.stopped) await this.collect(job);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      await new Promise<void>((resolve) => this.ports.clock.setTimer(PAUSE, resolve));
    }
    this.passing = false;
  }

  private async collect(job: string): Promise<void> {
    try {
      const events = eventsOf(await this.operator.show(job));
      if (events.length > 0) await this.ports.store.recordJobEvents({ center: this.center, job, events });
    } catch (error) {
      this.tell(error);
    }
  }

  /** Transient errors are not reported: the next change of the job reads it again. */
  private tell(error: unknown): void {
    if (this.stopped || error instanceof JobRefusal || isRegistryError(error) || isOutage(error)) return;
    this.ports.onDefect(error);
  }
}

/** What a job's entries tell of its past. */
function eventsOf({ instanceList, divisions }: JobDetails): JobEvent[] {
  return [
    ...divisions.map(
      ({ number, at, reasons, moved }): JobEvent => ({
        kind: 'reshard',
        instance: '',
        number,
        at,
        body: { reasons, moved },
      }),
    ),
    ...instanceList.flatMap(({ id, recent }) =>
      recent.map(({ number, at, ...body }): JobEvent => ({ kind: 'round', instance: id, number, at, body })),
    ),
  ];
}
