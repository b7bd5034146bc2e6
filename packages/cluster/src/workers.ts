/**
 * Watches the workers: a worker without a sign of life for its lease and grace is declared lost in the store.
 */
import type { Log } from '@orrery/core/log';
import type { Clock } from '@orrery/core/timing';
import type { BeatAnswer, Self, Store } from '@orrery/store';
import { Silence } from './silence.ts';

/** Dependencies. */
interface Ports {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
}

export class WorkerWatch {
  private readonly ports: Ports;
  private readonly limit: number;
  private readonly silence: Silence;

  /** `limit` is the worker lease plus its grace, in milliseconds. */
  constructor(ports: Ports, limit: number) {
    this.ports = ports;
    this.limit = limit;
    this.silence = new Silence(ports.clock);
  }

  /** Called after a good beat. Declares expired workers lost and returns whether there were any. */
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

  /** Milliseconds until the next worker may be lost; undefined while none is silent. */
  verdictIn(): number | undefined {
    return this.silence.overIn(this.limit);
  }

  /**
   * Restarts every worker's silence, because a departed master may have told workers to go on without the
   * store.
   */
  restart(): void {
    this.silence.restart();
  }

  /**
   * Discards the silence so far of one worker or all: the link to the store failed, or the worker was told
   * so.
   */
  forget(worker?: string): void {
    this.silence.forget(worker);
  }
}
