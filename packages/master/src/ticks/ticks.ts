/**
 * Fires schedules. Each tick is one compare-and-set on its schedule in the store, so who fires it decides nothing but
 * who is first: the agenda holds what this master fires, standby looks after what others should have fired, and what was
 * missed is caught up by its policy. Nothing fires while the clock is not trusted.
 */
import { type FiringOrder, isActing, rendezvousOrder } from '@orrery/cluster';
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
  private masters = '';
  private doubt: string | undefined;

  /** `fired` hears that commands were written. */
  constructor(context: Context, fired: () => void) {
    this.context = context;
    const { clock, gate } = context;
    const order = this.orderOf([]);
    const mayFire = () => clock.trusted && gate.refusal('fire') === undefined;
    this.agenda = new Agenda(context, order, { due: (entries) => this.firing.push(entries) });
    this.firing = new Firing(context, this.agenda, mayFire, fired);
    this.standby = new Standby(context, order, this.agenda, mayFire);
  }

  /** What a beat brought back: who else is there, what was edited, and what is due next. */
  beat({
    peers,
    scheduleRevision,
    nextDue,
  }: Pick<BeatAnswer, 'peers' | 'scheduleRevision' | 'nextDue'>): void {
    this.sayDoubt();
    const masters = peers.filter(isActing).map(({ id }) => id);
    if (masters.toSorted().join() !== this.masters) {
      this.masters = masters.toSorted().join();
      const order = this.orderOf(masters);
      this.agenda.reset(order);
      this.standby.reset(order);
    }
    this.agenda.learn(scheduleRevision, nextDue);
    this.standby.expect(nextDue);
    this.firing.pump();
  }

  /** Somebody says that schedules were edited. */
  look(): void {
    this.agenda.edited();
  }

  async stop(): Promise<void> {
    await Promise.all([this.agenda.stop(), this.standby.stop(), this.firing.stop()]);
  }

  private orderOf(masters: readonly string[]): FiringOrder {
    return rendezvousOrder(this.context.self.node, masters);
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
