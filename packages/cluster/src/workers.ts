/** Watches the workers: one that shows no sign of life for its lease and grace is declared lost in the store. */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { BeatAnswer, Self, Store } from '@orrery/store';
import { Silence } from './silence.ts';

/** What it stands on. */
interface Ports {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
}

export class WorkerWatch {
  private readonly ports: Ports;
  private readonly limit: number;
  private readonly silence: Silence;

  /** `limit` is the lease with its grace, in milliseconds. */
  constructor(ports: Ports, limit: number) {
    this.ports = ports;
    this.limit = limit;
    this.silence = new Silence(ports.clock);
  }

  /** After a good beat: declares those lost whose time is over; whether there were any. */
  async watch(workers: BeatAnswer['workers'], self: Self): Promise<boolean> {
    const { store, clock, log } = this.ports;
    this.silence.keepOnly(workers.map(({ id }) => id));
    let any = false;
    for (const { id, epoch, beat } of workers) {
      if (!this.silence.isOver(id, `${epoch}.${beat}`, this.limit)) continue;
      const { lost } = await store.loseWorker({ self, worker: id, epoch, beat, now: clock.now() });
      if (!lost) continue;
      any = true;
      log('warn', `worker ${id} epoch ${epoch} was silent for ${this.limit} ms and is lost`, {
        worker: id,
        epoch,
      });
    }
    return any;
  }

  /** When the next worker may be lost, in milliseconds; undefined while none is silent. */
  verdictIn(): number | undefined {
    return this.silence.overIn(this.limit);
  }

  /** A master is gone, which may have told its workers to go on without the store: all get their whole time again. */
  restart(): void {
    this.silence.restart();
  }

  /** The link to the store was not good, or this worker was told so: the silence until now does not count. */
  forget(worker?: string): void {
    this.silence.forget(worker);
  }
}
