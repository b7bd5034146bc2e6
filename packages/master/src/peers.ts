/** Watches the other masters and the workers: who shows no sign of life for its whole time is declared dead. */
import type { BeatAnswer, Peer } from '@orrery/store';
import type { Context } from './ports.ts';

/** The last sign of life, the start of the silence after it by the monotonic clock, and how often it was seen since. */
interface Sign {
  readonly sign: string;
  since: number;
  seen: number;
  /** How often the silence was counted from its start again. */
  restarts: number;
}

/** Looks that find the same sign before its time can be over: a store that stood still for long did so for everyone. */
const LOOKS = 3;
/** A master that goes restarts the silence of workers, but one that crashes in a loop must not keep lost workers for ever. */
const RESTARTS = 3;

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
    const gone = this.dropGone([...peers.map(nameOf), ...workers.map(({ id }) => `worker ${id}`)]);
    // Until now a master that is gone may have told its workers to go on without the store.
    if (gone.some((name) => name.startsWith('master '))) this.restartWorkers();
    for (const peer of peers) {
      const { id, epoch, beat, address } = peer;
      if (!this.isSilent(nameOf(peer), `${epoch}.${beat}`, config.sessionTimeout)) continue;
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
  private dropGone(live: readonly string[]): string[] {
    const names = new Set(live);
    const gone = [...this.signs.keys()].filter((name) => !names.has(name));
    for (const name of gone) this.signs.delete(name);
    return gone;
  }

  private restartWorkers(): void {
    const since = this.context.clock.monotonic();
    for (const [name, sign] of this.signs) {
      if (!name.startsWith('worker ') || sign.restarts === RESTARTS) continue;
      Object.assign(sign, { since, seen: 1, restarts: sign.restarts + 1 });
    }
  }

  private isSilent(name: string, sign: string, limit: number): boolean {
    const now = this.context.clock.monotonic();
    const seen = this.signs.get(name);
    if (seen?.sign !== sign) {
      this.signs.set(name, { sign, since: now, seen: 1, restarts: 0 });
      return false;
    }
    return ++seen.seen > LOOKS && now - seen.since >= limit;
  }
}

function nameOf({ id, roles }: Peer): string {
  return `${roles.split(',').includes('master') ? 'master' : 'node'} ${id}`;
}
