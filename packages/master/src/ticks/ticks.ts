/**
 * Fires schedules. Each tick is one compare-and-set on its schedule in the store, so who fires it decides nothing but
 * who is first: the agenda holds what this master fires, standby looks after what others should have fired, and what was
 * missed is caught up by its policy. Nothing fires while the clock is not trusted.
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

  /** Fires what `ownership` says that this master holds; `fired` hears that commands were written. */
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

  /** What a beat brought back: what was edited, and what is due next. */
  beat({ scheduleRevision, nextDue }: Pick<BeatAnswer, 'scheduleRevision' | 'nextDue'>): void {
    this.sayDoubt();
    this.agenda.learn(scheduleRevision, nextDue);
    this.standby.expect(nextDue);
    this.firing.pump();
  }

  /** Somebody says that schedules were edited. */
  look(): void {
    this.agenda.edited();
  }

  /** Settles when no tick of this master is late (true) or after a while (false); undefined if none is late now. */
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
