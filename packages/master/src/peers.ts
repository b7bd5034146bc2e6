/** Watches the other masters and the workers: who shows no sign of life for its whole time is declared dead. */
import type { BeatAnswer } from '@orrery/store';
import type { Context } from './ports.ts';

/** The last sign of life, and when it was first seen by the monotonic clock. */
interface Sign {
  readonly sign: string;
  readonly since: number;
}

export class Peers {
  private readonly context: Context;
  private readonly signs = new Map<string, Sign>();

  constructor(context: Context) {
    this.context = context;
  }

  /** Called after each good beat, so that only time with a good link to the store counts. */
  async watch({ peers, workers }: BeatAnswer): Promise<void> {
    const { store, self, config, clock, log } = this.context;
    for (const { id, epoch, beat } of peers) {
      if (!this.isSilent(`master ${id}`, `${epoch}.${beat}`, config.sessionTimeout)) continue;
      const answer = await store.fence({ self, peer: { id, epoch, beat }, now: clock.now() });
      if (answer.fenced)
        log(
          'warn',
          `node ${id} epoch ${epoch} was silent for ${config.sessionTimeout} ms and is fenced; ${answer.runs} runs are free`,
        );
    }
    for (const { id, epoch, beat } of workers) {
      if (!this.isSilent(`worker ${id}`, `${epoch}.${beat}`, config.lease + config.leaseGrace)) continue;
      const answer = await store.loseWorker({ self, worker: id, epoch, beat, now: clock.now() });
      if (answer.lost)
        log(
          'warn',
          `worker ${id} epoch ${epoch} was silent for ${config.lease + config.leaseGrace} ms and is lost`,
        );
    }
  }

  private isSilent(name: string, sign: string, limit: number): boolean {
    const now = this.context.clock.monotonic();
    const seen = this.signs.get(name);
    if (seen?.sign !== sign) {
      this.signs.set(name, { sign, since: now });
      return false;
    }
    return now - seen.since >= limit;
  }
}
