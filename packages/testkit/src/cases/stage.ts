/**
 * Where cases of other systems are played: master, worker and API on a database, in virtual time. Everything is asked
 * for through the client, as users do; a case only says how attempts go.
 */
import type { RunningApi } from '@orrery/api';
import type { MasterConfig } from '@orrery/master';
import { type AnswerOf, type Client, createClient } from '@orrery/sdk';
import type { Store } from '@orrery/store';
import type { Assignment } from '@orrery/wire/frames';
import { Engine } from '../engine.ts';
import { serveEngine } from '../engine-api.ts';
import type { Play, SimWorkerOptions } from '../sim-worker.ts';

/** How an attempt goes, where not at once and well. */
export type Acts = (assignment: Assignment) => Partial<ReturnType<Play>>;

/** A run as people see it. */
export interface SeenRun {
  readonly id: number;
  readonly state: string;
  readonly round: number;
  readonly tasks: Readonly<Record<string, SeenTask>>;
}

interface SeenTask {
  readonly state: string;
  /** States of its attempts, oldest first. */
  readonly attempts: readonly string[];
  readonly startedAt: string | null;
}

/** Where a case is played, if not as usual. */
export interface StageOptions {
  readonly workers?: Readonly<Record<string, SimWorkerOptions>>;
  readonly now?: number;
  readonly config?: Partial<MasterConfig>;
}

/** One second here and there is enough for everything but what an attempt or a timer takes. */
const MOMENT = 1_000;

export class CaseStage {
  readonly client: Client;
  readonly engine: Engine;
  private readonly api: RunningApi;
  private acts: Acts;

  private constructor(engine: Engine, api: RunningApi, client: Client, acts: Acts) {
    this.engine = engine;
    this.api = api;
    this.client = client;
    this.acts = acts;
  }

  /** Starts everything on an empty store, with one worker unless told otherwise. */
  static async open(
    store: Store,
    acts: Acts = () => ({}),
    { workers, now, config }: StageOptions = {},
  ): Promise<CaseStage> {
    const play: Play = (assignment) => ({ after: 10, state: 'success', ...stage.acts(assignment) });
    const engine = await Engine.start(play, config, { store, workers, now });
    const api = await serveEngine(engine);
    const stage = new CaseStage(engine, api, createClient({ url: api.url }), acts);
    return stage;
  }

  close(): Promise<void> {
    return this.api.stop();
  }

  /** Attempts that start from now on go like this. */
  act(acts: Acts): void {
    this.acts = acts;
  }

  /** Publishes workflows given as the values of a workflow file. */
  async publish(...flows: readonly object[]): Promise<void> {
    for (const flow of flows) await this.client.publishWorkflows({ body: JSON.stringify(flow) });
  }

  /** Asks for a run and lets it begin. */
  async start(workflow: string, more: object = {}): Promise<number> {
    const { id } = await this.client.startRun({ body: { workflow, ...more } });
    await this.pass();
    return id;
  }

  /** Asks for a change of a run; nobody has heard of it yet. */
  async control(run: number, control: 'pause' | 'resume' | 'stop' | 'recover' | 'rerun'): Promise<void> {
    await this.client[`${control}Run`]({ id: run, body: {} });
  }

  async pass(ms = MOMENT): Promise<void> {
    await this.engine.pass(ms);
  }

  /** Lets time pass until a run is over or paused, an hour at most. */
  async rest(run: number): Promise<SeenRun> {
    const resting = ['success', 'failed', 'stopped', 'paused'];
    for (let step = 500; step < 3_600_000; step *= 1.5) {
      await this.pass(Math.round(step));
      const { state, requested } = await this.client.showRun({ id: run });
      if (resting.includes(state) && requested.length === 0) break;
    }
    return this.see(run);
  }

  /** A run with its task runs and their attempts. */
  async see(id: number): Promise<SeenRun> {
    const { state, round } = await this.client.showRun({ id });
    const { columns } = await this.client.listTasks({ id });
    const tasks = await Promise.all(columns.name.map(async (name) => [name, await this.seeTask(id, name)]));
    return { id, state, round, tasks: Object.fromEntries(tasks) };
  }

  /** Runs that a run has started, oldest first. */
  async children(parent: number): Promise<AnswerOf<'listRuns'>['runs']> {
    const { runs } = await this.client.listRuns({ limit: 1_000 });
    return runs.filter((run) => run.parent === parent).toReversed();
  }

  /** Tasks that a worker was given, in order. */
  given(): string[] {
    return this.engine.executed.map(({ taskName }) => taskName);
  }

  private async seeTask(run: number, name: string): Promise<SeenTask> {
    const { state, startedAt } = await this.client.showTaskRun({ id: `${run}.${name}` });
    const { attempts } = await this.client.listAttempts({ id: `${run}.${name}`, limit: 100 });
    return { state, startedAt, attempts: attempts.map((attempt) => attempt.state) };
  }
}
