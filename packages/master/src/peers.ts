/** Watches the other masters and the workers: who shows no sign of life for its whole time is declared dead. */
import type { BeatAnswer } from '@orrery/store';
import type { Context } from './ports.ts';

/** The last sign of life, when it was first seen by the monotonic clock, and how often since. */
interface Sign {
  readonly sign: string;
  readonly since: number;
  seen: number;
}

/** Looks that find the same sign before its time can be over: a store that stood still for long did so for everyone. */
const LOOKS = 3;

export class Peers {
  private readonly context: Context;
  private readonly signs = new Map<string, Sign>();

  constructor(context: Context) {
    this.context = context;
  }

  /**
   * The link to the store was not good: while it was away nobody could show a sign of life, so that everyone is given
   * the whole time again.
   */
  forget(): void {
    this.signs.clear();
  }

  /** A worker was told that the store is away: it is given its whole time again. */
  forgetWorker(id: string): void {
    this.signs.delete(`worker ${id}`);
  }

  /** Called after each good beat, so that only time with a good link to the store counts. */
  async watch({ peers, workers }: BeatAnswer): Promise<void> {
    const { store, self, config, clock, log } = this.context;
    this.keep([...peers.map(({ id }) => `master ${id}`), ...workers.map(({ id }) => `worker ${id}`)]);
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

  /** Those that are gone are not watched any more: of workers there may be new ones with new names all the time. */
  private keep(names: readonly string[]): void {
    const live = new Set(names);
    for (const name of this.signs.keys()) if (!live.has(name)) this.signs.delete(name);
  }

  private isSilent(name: string, sign: string, limit: number): boolean {
    const now = this.context.clock.monotonic();
    const seen = this.signs.get(name);
    if (seen?.sign !== sign) {
      this.signs.set(name, { sign, since: now, seen: 1 });
      return false;
    }
    return ++seen.seen > LOOKS && now - seen.since >= limit;
  }
}
