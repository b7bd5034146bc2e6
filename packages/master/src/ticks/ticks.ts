/**
 * Fires schedules. Each tick is one compare-and-set on its schedule in the store, so two masters never fire
 * it twice: who fires only decides who is first. The agenda holds what this master fires, standby checks what
 * others should have fired, and missed ticks are caught up by their policy. Nothing fires while the clock is
 * not trusted.
 */
import type { Ownership } from '@orrery/cluster';
import type { BeatAnswer } from '@orrery/store';
import type { Context } from '../ports.ts';
import { Agenda } from './agenda.ts';
import { Firing } from './firing.ts';
import { Standby } from './standby.ts';

export class Ticks {
  private readonly context: Context;
  private readonly agenda: Agenda;
  private readonly firing: Firing;
  private readonly standby: Standby;
  private doubt: string | undefined;

  /** Fires what this master owns according to `ownership`; `fired` is called when commands were written. */
  constructor(context: Context, ownership: Ownership, fired: () => void) {
    this.context = context;
    const { clock, gate } = context;
    const { order } = ownership;
    const mayFire = () => clock.trusted && gate.refusal('fire') === undefined;
    this.agenda = new Agenda(context, order, { due: (entries) => this.firing.push(entries) });
    this.firing = new Firing(context, this.agenda, mayFire, fired);
    this.standby = new Standby(context, order, this.agenda, mayFire);
    ownership.listen((change) => {
      this.agenda.follow(change);
      this.standby.follow(change.order);
    });
  }

  /** The news of a beat: edits of schedules, and the next due time. */
  beat({ scheduleRevision, nextDue }: Pick<BeatAnswer, 'scheduleRevision' | 'nextDue'>): void {
    this.sayDoubt();
    this.agenda.learn(scheduleRevision, nextDue);
    this.standby.expect(nextDue);
    this.firing.pump();
  }

  /** A hint that schedules were edited. */
  look(): void {
    this.agenda.edited();
  }

  /**
   * Settles when no tick of this master is late (true) or after a timeout (false); undefined if none is late
   * now.
   */
  caughtUp(): Promise<boolean> | undefined {
    return this.firing.caughtUp();
  }

  async stop(): Promise<void> {
    await Promise.all([this.agenda.stop(), this.standby.stop(), this.firing.stop()]);
  }

  private sayDoubt(): void {
    const { clock, log, self } = this.context;
    const { doubt } = clock;
    if (doubt === this.doubt) return;
    this.doubt = doubt;
    if (doubt === undefined) log('info', `the clock of ${self.node} is trusted again; ticks fire`);
    else log('warn', `the clock of ${self.node} is not trusted, so nothing fires: ${doubt}`);
  }
}
