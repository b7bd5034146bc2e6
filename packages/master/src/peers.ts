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
    const { store, self, config, clock, log, tellPeers } = this.context;
    // Until now a master that is gone may have told its workers to go on without the store.
    const isGone = this.keep('master', peers);
    this.keep('worker', isGone ? [] : workers);
    for (const { id, epoch, beat, address } of peers) {
      if (!this.isSilent(`master ${id}`, `${epoch}.${beat}`, config.sessionTimeout)) continue;
      const answer = await store.fence({ self, peer: { id, epoch, beat }, now: clock.now() });
      if (!answer.fenced) continue;
      log(
        'warn',
        `node ${id} epoch ${epoch} was silent for ${config.sessionTimeout} ms and is fenced; ${answer.runs} runs are free`,
      );
      // It may only be cut off from the store: then it must stop telling its workers to go on.
      tellPeers?.({ fenced: { node: id, epoch } }, address);
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

  /** Those that are gone are not watched any more: there may be new workers with new names all the time. */
  private keep(kind: 'master' | 'worker', those: readonly { readonly id: string }[]): boolean {
    const live = new Set(those.map(({ id }) => `${kind} ${id}`));
    const gone = [...this.signs.keys()].filter((name) => name.startsWith(`${kind} `) && !live.has(name));
    for (const name of gone) this.signs.delete(name);
    return gone.length > 0;
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
