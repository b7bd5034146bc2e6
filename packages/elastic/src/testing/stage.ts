/** A stage for jobs in virtual time: several instances on one memory registry, and a record of everything they ran. */
import { type Job, parseJob } from '@orrery/core/model';
import { type Clock, VirtualClock } from '@orrery/core/timing';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';
import type { ShardStrategy } from '../board/board.ts';
import { type NativeBoard, openNativeBoard } from '../native/board.ts';
import { NativeOperator } from '../native/operator.ts';
import type { ShardContext, ShardHandler } from '../run/context.ts';
import { JobRunner, type RunnerOptions } from '../run/job-runner.ts';

/** One start of one shard. */
export interface Ran {
  readonly at: number;
  readonly instance: string;
  readonly shard: number;
  readonly token: number;
  readonly cause: ShardContext['cause'];
  readonly round: string;
  /** The tick, in milliseconds since the start of the stage. */
  readonly due: number | undefined;
  ended?: number;
}

/** 2026-01-01T00:00:00Z. */
const START = Date.UTC(2026, 0, 1);
export const SESSION = 3_000;

/** An instance of the stage. */
export interface StageInstance {
  readonly name: string;
  readonly runner: JobRunner;
  /** Its current connection, for faults. */
  readonly registry: () => MemoryRegistry;
  readonly board: NativeBoard;
  readonly process: StageProcess;
}

/** What an instance does, so that it can be frozen: then nothing of it runs until it thaws. */
class StageProcess {
  private waiting: (() => void)[] | undefined;

  run(step: () => void): void {
    if (this.waiting) this.waiting.push(step);
    else step();
  }

  freeze(): void {
    this.waiting ??= [];
  }

  thaw(): void {
    const { waiting = [] } = this;
    this.waiting = undefined;
    for (const step of waiting) step();
  }
}

export class Stage {
  readonly clock = new VirtualClock(START);
  readonly tree = new MemoryTree(this.clock);
  readonly ran: Ran[] = [];
  readonly errors: string[] = [];
  readonly logs: string[] = [];
  private ids = 0;
  /** Resolves when all pending promises have run. */
  private readonly settle: () => Promise<void>;

  constructor(settle: () => Promise<void>) {
    this.settle = settle;
  }

  /** The job, with defaults that make tests short. */
  job(more: Record<string, unknown> = {}): Job {
    const { job, problems } = parseJob({
      namespace: 'ns',
      name: 'job',
      cron: '0/10 * * * * ?',
      shards: 10,
      ...more,
    });
    if (!job) throw new Error(JSON.stringify(problems));
    return job;
  }

  /**
   * Starts an instance. Its shards take `takes` milliseconds, or as the handler given does. Its clock is `late`
   * milliseconds behind; `late` may change it later.
   */
  async start(
    name: string,
    job: Job,
    how: {
      takes?: number;
      late?: number | (() => number);
      handler?: ShardHandler;
      options?: Partial<RunnerOptions>;
      strategies?: Readonly<Record<string, ShardStrategy>>;
    } = {},
  ): Promise<StageInstance> {
    const { late = 0 } = how;
    const process = new StageProcess();
    const clock: Clock = {
      now: () => this.clock.now() - (typeof late === 'number' ? late : late()),
      monotonic: () => this.clock.monotonic(),
      setTimer: (delay, run) => {
        let cancelled = false;
        const timer = this.clock.setTimer(delay, () => process.run(() => !cancelled && run()));
        return {
          cancel: () => {
            cancelled = true;
            timer.cancel();
          },
        };
      },
    };
    let registry: MemoryRegistry | undefined;
    const open = async () => {
      if (registry && this.down.has(name)) throw new Error('the registry does not answer');
      const deliver = (run: () => void) => queueMicrotask(() => process.run(run));
      registry = new MemoryRegistry(this.tree, { sessionTimeout: SESSION, clock, deliver });
      return registry;
    };
    const ports = {
      clock,
      server: name,
      newInstance: () => `${name}@-@${++this.ids}`,
      id: () => `round-${++this.ids}`,
      log: (level: string, text: string) => void this.logs.push(`${level} ${text}`),
    };
    const board = await openNativeBoard(open, ports);
    const handler = how.handler ?? ((context) => this.work(context, how.takes ?? 0, clock));
    const options: RunnerOptions = {
      handler: (context) => this.record(context, handler),
      limits: { retries: 0, retryDelay: 100, timeout: undefined, grace: 1_000 },
      listeners: {},
      onError: (error) => void this.errors.push(error),
      ...how.options,
    };
    const { strategies = {} } = how;
    const starting = JobRunner.start(board, { job, identity: 'simple', strategies }, options, ports);
    // Seen below; it must not be unhandled until then.
    starting.catch(() => {});
    await this.pass(0);
    const runner = await starting;
    return { name, runner, board, registry: () => registry as MemoryRegistry, process };
  }

  /** An operator of the stage's namespace. */
  operator(): NativeOperator {
    const registry = new MemoryRegistry(this.tree, { sessionTimeout: 3_600_000 });
    return new NativeOperator('ns', { registry: async () => registry, id: () => `trigger-${++this.ids}` });
  }

  /** Does something that needs time to pass, a little at a time. */
  async passing<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const ended = work.finally(() => {
      done = true;
    });
    ended.catch(() => {});
    while (!done) await this.pass(10);
    return ended;
  }

  /** Instances that cannot open a new session. */
  readonly down = new Set<string>();

  /** Cuts an instance off as if it had crashed. */
  crash({ name, registry }: StageInstance): void {
    this.down.add(name);
    registry().faults.cut();
  }

  /** Lets time pass. */
  pass(ms: number): Promise<void> {
    return this.clock.advanceAsync(ms, this.settle).then(this.settle);
  }

  /** What ran since an earlier length of the record. */
  since(place: number): readonly Ran[] {
    return this.ran.slice(place);
  }

  private async record(context: ShardContext, handler: ShardHandler): Promise<void> {
    const { instance, shard, token, cause, round } = context;
    const due = context.due === undefined ? undefined : context.due - START;
    const ran: Ran = { at: this.clock.now() - START, instance, shard, token, cause, round, due };
    this.ran.push(ran);
    try {
      await handler(context);
    } finally {
      ran.ended = this.clock.now() - START;
    }
  }

  private work({ signal }: ShardContext, takes: number, clock: Clock): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(takes, resolve);
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  }
}

/** Shards in ascending order. */
export function shardsIn(ran: readonly Ran[]): number[] {
  return ran.map(({ shard }) => shard).sort((a, b) => a - b);
}

/** How many shards each instance ran, by server name. */
export function perServer(ran: readonly Ran[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { instance } of ran) {
    const server = instance.split('@-@')[0];
    counts[server] = (counts[server] ?? 0) + 1;
  }
  return counts;
}

/** Shards that ran twice at the same time. */
export function overlaps(ran: readonly Ran[]): number[] {
  return ran
    .filter((one, i) =>
      ran
        .slice(i + 1)
        .some(({ shard, at }) => shard === one.shard && at < (one.ended ?? Number.POSITIVE_INFINITY)),
    )
    .map(({ shard }) => shard);
}
