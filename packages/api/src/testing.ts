/** An API over a store in memory, and a hand that acts as its master and worker; for tests. */
import type { RunFields, TaskRun } from '@orrery/core/run';
import type { Clock } from '@orrery/core/timing';
import { openSqlite, type RunChange, type Store } from '@orrery/store';
import { attemptText } from '@orrery/wire/frames';
import type { FastifyInstance } from 'fastify';
import type { ApiOptions, KeptLogs, LogPlace } from './options.ts';
import { createApi } from './server.ts';

/** The moment at which tests begin. */
export const START = Date.parse('2026-03-01T08:00:00Z');

/** What a request was answered with. */
interface Answered {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** An API under test. */
export interface TestApi {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly options: ApiOptions;
  readonly hand: Hand;
  /** Hints sent to masters. */
  readonly hinted: unknown[];
  /** Unexpected errors; a test fails if it ends with one. */
  readonly defects: unknown[];
  /** Logs by attempt; an entry that is `live` grows until it is not. */
  /** By attempt; `kept` is the retention reported by a worker without the log. */
  readonly logs: Map<string, { text: string; live: boolean; process?: number; kept?: KeptLogs }>;
  now: number;
  /** Sent with every request. */
  readonly headers: Record<string, string>;
  get(path: string): Promise<Answered>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  del(path: string, headers?: Record<string, string>): Promise<Answered>;
  /** Publishes a workflow file. */
  publish(text: string): Promise<Answered>;
}

/** Builds one. */
export async function testApi(more: Partial<ApiOptions> = {}): Promise<TestApi> {
  const store = more.store ?? (await openSqlite(':memory:', { now: () => api.now }));
  const hinted: unknown[] = [];
  const defects: unknown[] = [];
  const logs: TestApi['logs'] = new Map();
  const clock: Clock = {
    now: () => api.now,
    monotonic: () => api.now,
    // Timers of the API fire quickly in tests, whatever their delay.
    setTimer: (_delay, run) => {
      const timer = setTimeout(run, 5);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  const options: ApiOptions = {
    store,
    clock,
    hints: {
      commandsQueued: () => hinted.push('commands'),
      inboxTold: (runs) => hinted.push(['inbox', ...runs]),
      bulkMade: () => hinted.push('bulk'),
      queueFilled: () => hinted.push('queue'),
      schedulesChanged: () => hinted.push('schedules'),
    },
    logs: logSource(logs),
    taskTypes: () => [{ name: 'shell' }, { name: 'node' }, { name: 'connection-test' }],
    connectionKinds: {
      list: () => [{ name: 'sqlite', title: 'SQLite', description: 'A file', schema: { type: 'object' } }],
      check: (kind, settings) =>
        kind === 'sqlite'
          ? { settings: settings as Record<string, unknown> }
          : { problems: ['no such kind'] },
    },
    version: '1.2.3',
    checkAnswers: true,
    onDefect: (error) => defects.push(error),
    ...more,
  };
  const app = createApi(options);
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    more = {},
  ): Promise<Answered> => {
    const headers = { ...api.headers, ...more };
    const reply = await app.inject({ method, url: `/api/v1${path}`, headers, payload: body as object });
    const type = String(reply.headers['content-type'] ?? '');
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: type.includes('json') ? reply.json() : reply.body,
    };
  };
  const api: TestApi = {
    app,
    store,
    options,
    hinted,
    defects,
    logs,
    now: START,
    headers: {},
    hand: new Hand(store, () => api.now),
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    del: (path, headers) => send('DELETE', path, undefined, headers),
    publish: (text) => send('POST', '/workflows', text, { 'content-type': 'application/yaml' }),
  };
  return api;
}

/** Acts as a master and a worker: claims runs and puts them into any state. */
class Hand {
  private readonly store: Store;
  private readonly now: () => number;
  private epoch: number | undefined;
  private workerEpoch = 0;

  constructor(store: Store, now: () => number) {
    this.store = store;
    this.now = now;
  }

  /** Joins as master `m1`. */
  async join(): Promise<{ node: string; epoch: number }> {
    if (this.epoch === undefined) {
      const { epoch } = await this.store.joinNode({
        id: 'm1',
        roles: ['master'],
        address: 'm1:1',
        info: {},
        now: this.now(),
      });
      this.epoch = epoch;
    }
    return { node: 'm1', epoch: this.epoch };
  }

  /** Joins a worker. */
  async joinWorker(
    worker = 'w1',
    slots = 2,
    groups = ['default'],
    taskTypes?: string,
    resources: { readonly cores?: number; readonly memory?: number } = {},
  ): Promise<void> {
    const self = await this.join();
    const input = {
      self,
      worker,
      address: `${worker}:1`,
      slots,
      groups,
      taskTypes,
      ...resources,
      now: this.now(),
    };
    this.workerEpoch = (await this.store.joinWorker(input)).epoch;
  }

  /** Claims every waiting command; the runs that this made. */
  async claim(): Promise<number[]> {
    const claim = { self: await this.join(), orphans: 0, starts: 100, now: this.now() };
    const { starts } = await this.store.claimWork(claim);
    return starts.map(({ run }) => run);
  }

  /** Changes a run that was claimed. */
  async change(run: number, change: Partial<RunChange> & { state?: RunFields['state'] }): Promise<void> {
    const { state, ...rest } = change;
    const details = await this.store.readRunDetails({ id: run, from: 0, to: 0 });
    if (!details) throw new Error(`no run ${run}`);
    const [{ revision }] = await this.store.loadRuns({ runs: [run] });
    const fields = state ? { ...details.fields, state, since: this.now() } : undefined;
    await this.store.commitRuns({
      self: await this.join(),
      changes: [
        {
          run,
          revision: revision + Number(fields !== undefined || rest.release === true),
          fields,
          tasks: [],
          enqueue: [],
          withdraw: [],
          outcomes: [],
          consumed: [],
          commands: [],
          messages: [],
          release: false,
          event: '{}',
          ...rest,
        },
      ],
      now: this.now(),
    });
  }

  /** Queues the first attempt of a task. */
  async enqueue(run: number, task: number, more: object = {}): Promise<void> {
    const row = { run, task, shard: -1, number: 1, workerGroup: 'default', runPriority: 2, taskPriority: 2 };
    await this.change(run, {
      enqueue: [{ ...row, payload: '{}', ...more }],
      tasks: [
        [task, this.task('submitted', { shards: [{ state: 'out', attempt: 1, failures: 0, lost: 0 }] })],
      ],
    });
  }

  /** Lets worker `w1` take queued attempts. */
  async take(room = 1): Promise<void> {
    const [worker] = await this.store.listWorkers();
    await this.store.take({
      self: await this.join(),
      worker: 'w1',
      epoch: this.workerEpoch,
      number: worker.take + 1,
      room,
      groups: ['default'],
      now: this.now(),
    });
  }

  /** Ends an attempt that worker `w1` has. */
  async end(
    run: number,
    task: number,
    outcome: { state: string; error?: string; logTail?: string; shard?: number; took?: number },
    after: TaskRun,
  ): Promise<void> {
    await this.change(run, {
      tasks: [[task, after]],
      outcomes: [
        {
          run,
          task,
          shard: outcome.shard ?? -1,
          number: 1,
          worker: 'w1',
          workerEpoch: this.workerEpoch,
          state: outcome.state,
          late: false,
          startedAt: this.now() - (outcome.took ?? 1_000),
          endedAt: this.now(),
          exitCode: outcome.state === 'success' ? 0 : 1,
          cpuTime: 12,
          peakMemory: 3_000_000,
          error: outcome.error ?? null,
          logTail: outcome.logTail ?? null,
        },
      ],
    });
  }

  /** A task run in a state. */
  task(state: TaskRun['state'], more: Partial<TaskRun> = {}): TaskRun {
    return { state, round: 1, since: this.now(), shards: [], ...more };
  }
}

function logSource(logs: TestApi['logs']): ApiOptions['logs'] {
  const piece = (place: LogPlace, offset: number, limit = Number.MAX_SAFE_INTEGER) => {
    const { text = '', process, kept } = logs.get(attemptText(place.attempt)) ?? {};
    const all = Buffer.from(text);
    const bytes = all.subarray(offset, offset + limit);
    return { bytes, next: offset + bytes.length, size: all.length, process, kept };
  };
  return {
    read: async (place, { offset, limit }) => piece(place, offset, limit),
    async *follow(place, { offset, signal }) {
      while (!signal.aborted) {
        const live = logs.get(attemptText(place.attempt))?.live === true;
        const next = piece(place, offset);
        if (next.bytes.length > 0) yield next;
        else if (!live) return;
        offset = next.next;
        await new Promise((wake) => setTimeout(wake, 5));
      }
    },
  };
}
