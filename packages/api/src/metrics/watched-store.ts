/**
 * A store that counts and times its operations. All work of an engine passes through its store, so masters
 * and workers need no instrumentation.
 */
import type { Command, OutcomeRow, Store } from '@orrery/store';
import type { Metrics } from './metrics.ts';

/** The same store, watched. */
export function watchStore(store: Store, metrics: Metrics): Store {
  const timed = async <T>(
    operation: string,
    work: () => Promise<T>,
    done: (result: T, time: number) => void,
  ) => {
    const begun = metrics.clock.monotonic();
    try {
      const result = await work();
      done(result, (metrics.clock.monotonic() - begun) / 1_000);
      return result;
    } catch (error) {
      metrics.storeErrors.inc({ operation });
      metrics.lastError = (error as Error).message;
      throw error;
    }
  };
  const queued = (commands: readonly Pick<Command, 'trigger'>[]) => {
    for (const [trigger, { length }] of Map.groupBy(commands, (command) => command.trigger))
      metrics.runsQueued.inc({ trigger }, length);
  };
  const ended = (outcomes: readonly OutcomeRow[]) => {
    for (const [state, all] of Map.groupBy(outcomes, (outcome) => outcome.state)) {
      const late = all.filter((outcome) => outcome.late).length;
      metrics.attemptsLate.inc(late);
      if (all.length > late) metrics.attemptsEnded.inc({ state }, all.length - late);
    }
  };
  return {
    ...store,
    commitRuns: (input) =>
      timed(
        'commitRuns',
        () => store.commitRuns(input),
        ({ given }, time) => {
          metrics.commitSize.observe(input.changes.length);
          metrics.commitTime.observe(time);
          for (const { assignments } of given)
            if (assignments.length > 0) metrics.takeSize.observe(assignments.length);
          for (const { endedAt, fields } of input.changes)
            if (typeof endedAt === 'number' && fields) metrics.runsEnded.inc({ state: fields.state });
          // Counted together: a commit may have hundreds of each.
          ended(input.changes.flatMap(({ outcomes }) => outcomes));
          queued(input.changes.flatMap(({ commands }) => commands));
        },
      ),
    // Every alert is routed once, by one master, whatever raised it.
    routeAlerts: (input) =>
      timed(
        'routeAlerts',
        () => store.routeAlerts(input),
        ({ routed }) => {
          for (const kind of routed) metrics.alerts.inc({ kind });
        },
      ),
    recordTries: (input) =>
      timed(
        'recordTries',
        () => store.recordTries(input),
        () => {
          for (const { channel = '', state: result } of input.results)
            metrics.deliveries.inc({ channel, result });
        },
      ),
    take: (input) =>
      timed(
        'take',
        () => store.take(input),
        ({ assignments }, time) => {
          metrics.takeTime.observe(time);
          if (assignments.length > 0) metrics.takeSize.observe(assignments.length);
        },
      ),
    loseWorker: (input) =>
      timed(
        'loseWorker',
        () => store.loseWorker(input),
        ({ lost }) => {
          if (lost) metrics.workersLost.inc();
        },
      ),
    fence: (input) =>
      timed(
        'fence',
        () => store.fence(input),
        ({ fenced }) => {
          if (fenced) metrics.failovers.inc();
        },
      ),
    drainNode: (input) =>
      timed(
        'drainNode',
        () => store.drainNode(input),
        ({ roles, refused }) => {
          const isDone = refused === undefined && roles.length > 0 && !input.dryRun;
          if (input.drain && isDone) metrics.drains.inc();
        },
      ),
    claimSchedules: (input) =>
      timed(
        'claimSchedules',
        () => store.claimSchedules(input),
        ({ claimed, refused }) => {
          metrics.claimed.inc(claimed.length);
          if (refused !== undefined) metrics.claimsRefused.inc();
        },
      ),
    shedSchedules: (input) =>
      timed(
        'shedSchedules',
        () => store.shedSchedules(input),
        ({ shed }) => metrics.shed.inc(shed.length),
      ),
    recordPlan: (input) =>
      timed(
        'recordPlan',
        () => store.recordPlan(input),
        () => {
          metrics.reshards.inc();
          metrics.moved.inc(input.plan.moved);
        },
      ),
    recordElsewhere: (input) =>
      timed(
        'recordElsewhere',
        () => store.recordElsewhere(input),
        () => ended(input.reports),
      ),
    beat: (input) =>
      timed(
        'beat',
        () => store.beat(input),
        () => {
          metrics.lastError = undefined;
        },
      ),
    claimWork: (input) =>
      timed(
        'claimWork',
        () => store.claimWork(input),
        ({ starts }) => metrics.runsStarted.inc(starts.length),
      ),
    submitCommand: (input) =>
      timed(
        'submitCommand',
        () => store.submitCommand(input),
        ({ repeated }) => {
          if (!repeated) queued([input.command]);
        },
      ),
    submitCommands: (input) =>
      timed(
        'submitCommands',
        () => store.submitCommands(input),
        () => queued(input.commands),
      ),
    fireTicks: (input) =>
      timed(
        'fireTicks',
        () => store.fireTicks(input),
        ({ outcomes }) => {
          const fired = input.schedules.filter((_, k) => outcomes[k].outcome === 'fired');
          const ticks = fired.flatMap((schedule) => schedule.ticks);
          for (const { due } of ticks) metrics.tickLateness.observe(Math.max(0, input.now - due) / 1_000);
          metrics.ticks.inc({ result: 'run' }, ticks.length);
          metrics.runsQueued.inc({ trigger: 'tick' }, ticks.length);
          const skipped = fired.reduce((sum, schedule) => sum + (schedule.skipped?.count ?? 0), 0);
          if (skipped > 0) metrics.ticks.inc({ result: 'skip' }, skipped);
        },
      ),
  };
}
