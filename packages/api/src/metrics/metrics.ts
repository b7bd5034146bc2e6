/**
 * What a process counts and measures, in the format of Prometheus. Nothing here is global: each process makes one, lets
 * it watch its store, and hands it to its API. Labels have few values, all from fixed lists or cut at a bound.
 */
import type { Clock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { readGauges } from './gauges.ts';
import { watchStore } from './watched-store.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** What a process is asked to tell besides what its store shows. */
export interface MetricsOptions {
  readonly clock: Clock;
  /** The slots of the worker in this process, and how many of them are in use. */
  readonly worker?: () => { readonly slots: number; readonly used: number };
  /** Whether the registry session of the master in this process is good; undefined where it has none. */
  readonly registry?: () => boolean | undefined;
}

/** The instruments of one process. */
export class Metrics {
  readonly clock: Clock;
  private readonly registry = new Registry();
  private store: Store | undefined;
  /** The last error of the store. */
  lastError: string | undefined;

  readonly runsQueued = this.counter('orrery_runs_queued_total', 'Start commands written', 'trigger');
  readonly runsStarted = this.counter('orrery_runs_started_total', 'Runs claimed and begun');
  readonly runsEnded = this.counter('orrery_runs_ended_total', 'Rounds of runs that ended', 'state');
  readonly attemptsEnded = this.counter('orrery_attempts_ended_total', 'Attempts that ended', 'state');
  readonly attemptsLate = this.counter('orrery_attempts_late_total', 'Reports that came too late to count');
  readonly workersLost = this.counter(
    'orrery_workers_lost_total',
    'Workers that were given up with what they held',
  );
  readonly ticks = this.counter(
    'orrery_ticks_total',
    'Due times of schedules that became a run or a skip',
    'result',
  );
  readonly alerts = this.counter('orrery_alerts_total', 'What people should hear of', 'kind');
  readonly deliveries = this.counter(
    'orrery_deliveries_total',
    'Tries to send a message about alerts, by channel and result',
    'channel',
    'result',
  );
  readonly failovers = this.counter('orrery_failovers_total', 'Nodes that this process fenced');
  readonly drains = this.counter('orrery_drains_total', 'Nodes that people drained through this process');
  readonly claimed = this.counter('orrery_schedules_claimed_total', 'Free schedules that a master claimed');
  readonly shed = this.counter('orrery_schedules_shed_total', 'Schedules given back above the limit');
  readonly claimsRefused = this.counter(
    'orrery_claims_refused_total',
    'Claims that took nothing although schedules were free',
  );
  readonly reshards = this.counter('orrery_reshards_total', 'Plans that this process wrote as the leader');
  readonly moved = this.counter(
    'orrery_schedules_moved_total',
    'Schedules that changed hands in those plans',
  );
  readonly tickLateness = this.histogram(
    'orrery_tick_lateness_seconds',
    'From the due time of a tick to its firing',
    seconds,
  );
  readonly commitSize = this.histogram('orrery_commit_runs', 'Changes of runs in one commit', sizes);
  readonly commitTime = this.histogram('orrery_commit_seconds', 'How long a commit took', seconds);
  readonly takeSize = this.histogram('orrery_take_attempts', 'Attempts that one take was given', sizes);
  readonly takeTime = this.histogram('orrery_take_seconds', 'How long a take took in the store', seconds);
  readonly storeErrors = this.counter(
    'orrery_store_errors_total',
    'Operations of the store that failed',
    'operation',
  );
  readonly requestTime = this.histogram(
    'orrery_api_request_seconds',
    'Requests to the API by operation and status',
    seconds,
    'operation',
    'status',
  );
  readonly feedLag = this.histogram(
    'orrery_live_lag_seconds',
    'From a change to its being sent to listeners',
    seconds,
  );
  readonly listeners = this.gauge('orrery_live_listeners', 'Connections that listen for changes');

  private readonly gauges = {
    queued: this.gauge('orrery_queue_attempts', 'Attempts that may run now, up to 100,000', 'group'),
    oldest: this.gauge('orrery_queue_oldest_seconds', 'How long the oldest of them has waited', 'group'),
    commands: this.gauge('orrery_commands', 'Start commands that nobody has claimed, up to 100,000'),
    commandOldest: this.gauge('orrery_command_oldest_seconds', 'How long the oldest of them has waited'),
    workers: this.gauge('orrery_workers', 'Workers by state', 'state'),
    masters: this.gauge('orrery_masters', 'Masters by state', 'state'),
    slots: this.gauge('orrery_worker_slots', 'Slots of workers that are alive'),
    slotsUsed: this.gauge('orrery_worker_slots_used', 'Attempts that workers hold'),
    schedules: this.gauge('orrery_schedules', 'Enabled schedules'),
    free: this.gauge('orrery_schedules_free', 'Schedules that no master holds while masters claim'),
    held: this.gauge('orrery_schedules_held', 'Schedules that a master holds while masters claim', 'master'),
    limit: this.gauge('orrery_schedules_limit', 'How many schedules a master may hold', 'master'),
    alarmAbove: this.gauge('orrery_schedules_alarm_above', 'Above how many it raises an alert', 'master'),
    mode: this.gauge('orrery_ownership_mode', 'Who fires what: 1 for the mode in force', 'mode'),
    plan: this.gauge('orrery_plan_number', 'The newest plan that leaders wrote; 0 without one'),
    planBehind: this.gauge('orrery_plan_masters_behind', 'Masters that have not adopted the newest plan'),
    planConflicts: this.gauge(
      'orrery_plan_conflicts',
      'Masters that hold another plan under the number of the newest',
    ),
    leader: this.gauge('orrery_leader', 'The master that wrote the newest plan: 1', 'master'),
    undelivered: this.gauge(
      'orrery_delivery_oldest_seconds',
      'How long the oldest message has waited to be sent',
    ),
    storeUp: this.gauge('orrery_store_up', 'Whether the store answered just now: 1 or 0'),
  };

  private readonly registryState = this.gauge(
    'orrery_registry_session',
    'The session of this master in the registry: 1 for its state',
    'state',
  );

  private readonly worker: MetricsOptions['worker'];
  private readonly registrySession: MetricsOptions['registry'];

  constructor({ clock, worker, registry }: MetricsOptions) {
    this.clock = clock;
    this.worker = worker;
    this.registrySession = registry;
    collectDefaultMetrics({ register: this.registry });
  }

  /** The same store, with what it does counted and timed. */
  watchStore(store: Store): Store {
    this.store = store;
    return watchStore(store, this);
  }

  /** Everything, as Prometheus reads it. */
  async text(): Promise<string> {
    const isUp = this.registrySession?.();
    this.registryState.reset();
    if (isUp !== undefined) this.registryState.set({ state: isUp ? 'good' : 'away' }, 1);
    await readGauges(this.gauges, { store: this.store, worker: this.worker, clock: this.clock });
    return this.registry.metrics();
  }

  /** What `text` is. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** The names of our own metrics. */
  get names(): string[] {
    return this.registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('orrery_'));
  }

  private counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }
}
