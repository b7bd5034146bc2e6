/**
 * A master: joins with an epoch of its own, beats, claims what it has room for, and serves workers. It stops acting
 * the moment the store says that its epoch is over.
 *
 * joining -> acting -> (fenced | stopped)
 */
import type { ClockTimer } from '@orrery/core/timing';
import { StaleEpoch } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import type { Hint, MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { bulkLooks } from './bulks.ts';
import { LOOK_EVERY } from './commitment.ts';
import { Deadlines } from './deadlines.ts';
import { Dispatch } from './dispatch.ts';
import { Intake } from './intake.ts';
import type { OneLook } from './one-look.ts';
import { Peers } from './peers.ts';
import type { Context, MasterConfig, Ports } from './ports.ts';
import { Retention } from './retention.ts';
import { Runs } from './runs.ts';
import { Ticks } from './ticks.ts';
import { Triggers } from './triggers.ts';

const TIDY_EVERY = 10_000;

export class Master {
  readonly context: Context;
  private readonly runs: Runs;
  private readonly intake: Intake;
  private readonly dispatch: Dispatch;
  private readonly ticks: Ticks;
  private readonly deadlines: Deadlines;
  private readonly triggers: Triggers;
  private readonly bulks: OneLook;
  private readonly peers: Peers;
  private readonly retention: Retention;
  private timer: ClockTimer | undefined;
  private acting = true;
  /** How much was committed when the store was last tidied up, and when to do it again at the earliest. */
  private tidied = 0;
  private tidyAt = 0;
  /** Why it no longer acts, once that is so. */
  over: string | undefined;

  private constructor(context: Context) {
    this.context = context;
    const told = () => {
      this.intake.look();
      context.tellPeers?.({ inboxes: true });
    };
    this.runs = new Runs(context, {
      openTakes: (filled) => this.dispatch.lendTakes(filled),
      answered: (takes, given) => {
        this.dispatch.answered(takes, given);
        // A take that was filled may have left something for the workers of others.
        if (given?.some(({ assignments }, k) => assignments.length >= takes[k].room))
          context.tellPeers?.({ queue: true });
      },
      queued: () => context.tellPeers?.({ queue: true }),
      settled: () => this.dispatch.serveUntried(),
      killed: (attempts) => {
        const kill = this.dispatch.kill(attempts);
        if (kill.length > 0) context.tellPeers?.({ kill });
      },
      freed: () => this.intake.freed(),
      told,
      triggered: () => this.triggers.look(),
      fenced: (error) => this.end(error.message),
    });
    this.intake = new Intake(context, this.runs);
    this.peers = new Peers(context);
    this.dispatch = new Dispatch(context, this.runs, this.peers, () => this.intake.look());
    this.ticks = new Ticks(context, () => this.intake.look());
    this.deadlines = new Deadlines(context);
    this.triggers = new Triggers(context, told);
    this.bulks = bulkLooks(context, told);
    this.retention = new Retention(context);
  }

  /** Joins the cluster and begins to act. */
  static async start(config: MasterConfig, ports: Ports): Promise<Master> {
    const { store, clock } = ports;
    const { epoch } = await store.joinNode({
      id: config.id,
      roles: config.roles,
      address: config.address,
      info: {},
      now: clock.now(),
    });
    const master = new Master({ ...ports, config, self: { node: config.id, epoch } });
    await master.beat();
    return master;
  }

  /** A worker connects. */
  accept(channel: Channel<MasterFrame, WorkerFrame>): void {
    if (this.acting) this.dispatch.accept(channel);
    else channel.close(this.over ?? 'this master is not acting');
  }

  /** A hint that something has changed in the store: commands, inboxes and schedules unless it says what. */
  hint({ inboxes, queue, schedules, bulks, kill, fenced }: Hint = { inboxes: true, schedules: true }): void {
    if (!this.acting) return;
    const { self } = this.context;
    if (fenced?.node === self.node && fenced.epoch === self.epoch)
      this.end(`another master has taken over from ${self.node}`);
    if (inboxes) this.intake.look();
    if (schedules) this.ticks.look();
    if (queue) this.dispatch.wake();
    if (bulks) this.bulks.ask();
    if (kill) this.dispatch.kill(kill);
  }

  /** Leaves in good order: runs are free to be claimed by others, tasks go on. */
  async stop(): Promise<void> {
    if (!this.acting) return;
    this.end('stopped');
    await Promise.all([
      this.runs.stop(),
      this.intake.stop(),
      this.ticks.stop(),
      this.triggers.stop(),
      this.bulks.stop(),
      this.deadlines.stop(),
    ]);
    const { store, self, clock } = this.context;
    await store.leaveNode({ self, now: clock.now() });
  }

  private async beat(): Promise<void> {
    const { store, self, clock, config, log } = this.context;
    try {
      const answer = await store.beat({ self, now: clock.now() });
      this.dispatch.learnMasters(answer.peers);
      await this.peers.watch(answer);
      if (answer.commands || answer.messages || this.intake.isUnsure) this.intake.look();
      if (answer.triggers) this.triggers.look();
      if (answer.bulks) this.bulks.ask();
      if (answer.nextDeadline !== null && answer.nextDeadline <= clock.now()) this.deadlines.look();
      this.ticks.soon(answer.nextDue);
      this.dispatch.lookAgain(answer);
      if (answer.nextLook !== null && answer.nextLook <= clock.now()) await this.lookAgain();
      this.tidy();
      this.retention.beat(answer.peers, this.runs.commits);
    } catch (error) {
      this.peers.forget();
      if (error instanceof StaleEpoch) this.end(error.message);
      else log('warn', `the store does not answer: ${(error as Error).message}`);
    }
    if (this.acting) this.timer = clock.setTimer(config.beatEvery, () => void this.beat());
  }

  /** Dependents that were not looked at for long are told to look again. */
  private async lookAgain(): Promise<void> {
    const { store, self, clock } = this.context;
    const told = await store.dueLooks({ self, every: LOOK_EVERY, limit: 1_000, now: clock.now() });
    if (told.length > 0) this.intake.look();
  }

  /** While it works, what went through the queues of the store is swept away. */
  private tidy(): void {
    const { store, clock, log } = this.context;
    const { commits } = this.runs;
    if (commits === this.tidied || clock.monotonic() < this.tidyAt) return;
    this.tidied = commits;
    this.tidyAt = clock.monotonic() + TIDY_EVERY;
    store.tidy().catch((error) => log('warn', `could not tidy up: ${error.message}`));
  }

  private end(reason: string): void {
    if (!this.acting) return;
    this.acting = false;
    this.over = reason;
    this.timer?.cancel();
    this.retention.stop();
    this.dispatch.stop(reason);
    void this.runs.stop();
    this.context.log('info', `master ${this.context.config.id} no longer acts: ${reason}`);
    this.context.onOver?.(reason);
  }
}
