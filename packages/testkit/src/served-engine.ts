/**
 * An engine in virtual time with the API over it, on either database: for tests that say what people see of a feature
 * through the public API, also when the master dies in the middle.
 */
import { type RunningApi, startApi } from '@orrery/api';
import type { Workflow } from '@orrery/core/model';
import { type Client, createClient } from '@orrery/sdk/client';
import type { Store } from '@orrery/store';
import { Engine, type EngineStage } from './engine.ts';
import type { Play } from './sim-worker.ts';

export class ServedEngine {
  readonly engine: Engine;
  readonly client: Client;
  private readonly api: RunningApi;

  private constructor(engine: Engine, api: RunningApi) {
    this.engine = engine;
    this.api = api;
    this.client = createClient({ url: api.url });
  }

  /** Starts one over a store, which stays the caller's to close. */
  static async start(
    store: Store,
    play: Play = () => ({ after: 10, state: 'success' }),
    stage: Omit<EngineStage, 'store'> = {},
  ): Promise<ServedEngine> {
    const engine = await Engine.start(play, {}, { ...stage, store });
    const hint = () => engine.hint();
    const api = await startApi(
      {
        store,
        clock: engine.clock,
        hints: { commandsQueued: hint, inboxTold: hint, schedulesChanged: hint },
        logs: { read: () => Promise.reject(new Error('there are no logs here')), async *follow() {} },
        taskTypes: () => [{ name: 'shell' }],
        version: '0',
        checkAnswers: true,
        onDefect: (error) => {
          throw error;
        },
      },
      { port: 0 },
    );
    return new ServedEngine(engine, api);
  }

  /** Publishes a workflow file. */
  async publish(text: string): Promise<void> {
    await this.client.publishWorkflows({ body: text });
  }

  /** Lets time pass until something is so, on a database that answers in its own time. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await this.engine.pass(50);
  }

  /** Lets time pass until a run has ended; how. */
  async ended(id: number): Promise<string> {
    let state = '';
    await this.until(async () => {
      const run = await this.client.showRun({ id });
      state = run.state;
      return run.endedAt !== null;
    });
    return state;
  }

  /** The runs of a workflow in the order they were created. */
  async runsOf(workflow: Workflow['name'], more: { readonly kind?: 'normal' | 'backfill' } = {}) {
    const { runs } = await this.client.listRuns({ workflow, kind: more.kind ?? 'normal', limit: 1_000 });
    return runs.toReversed();
  }

  async stop(): Promise<void> {
    await this.api.stop();
  }
}
