/**
 * Where a seed is played: the real master and API on a data folder as `orrery dev` has it, workers that act, and
 * virtual time. Everything comes into the store as it does in life, so nothing in it can contradict anything else;
 * logs are written for what the workers ran.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunningApi } from '@orrery/api';
import type { VirtualClock } from '@orrery/core/timing';
import { type Client, createClient } from '@orrery/sdk';
import { openSqlite, type Store } from '@orrery/store';
import type { Assignment } from '@orrery/wire/frames';
import { logPath } from '@orrery/worker';
import { Engine } from '../engine.ts';
import { serveEngine } from '../engine-api.ts';
import type { Play, SimWorkerOptions } from '../sim-worker.ts';
import { linesOf } from './log-lines.ts';

/** The course of an attempt; missing parts are made up. */
export type Scene = Partial<ReturnType<Play>>;

/** What a seed begins with. */
export interface StageOptions {
  readonly folder: string;
  /** When the first thing happens. */
  readonly from: number;
  readonly workers: Readonly<Record<string, SimWorkerOptions>>;
  /** How attempts go, by workflow and task: `daily-orders/extract`. */
  readonly scenes: Readonly<Record<string, (assignment: Assignment) => Scene>>;
}

interface Execution {
  readonly assignment: Assignment;
  readonly at: number;
  readonly scene: ReturnType<Play>;
}

/** A tail that people can read beside an error; the engine's own limit is far above. */
const TAIL_LINES = 12;
/** Rarer than in practice: otherwise a day of beats would be most of the written data. */
const calm = { beatEvery: 300_000, sessionTimeout: 1_800_000, lease: 3_600_000, leaseGrace: 60_000 };

export class Stage {
  readonly store: Store;
  readonly client: Client;
  private readonly engine: Engine;
  private readonly api: RunningApi;
  private readonly options: StageOptions;
  private readonly executions: Execution[];

  private constructor(
    parts: { store: Store; engine: Engine; api: RunningApi; executions: Execution[] },
    options: StageOptions,
  ) {
    this.store = parts.store;
    this.engine = parts.engine;
    this.api = parts.api;
    this.executions = parts.executions;
    this.options = options;
    this.client = createClient({ url: parts.api.url });
  }

  /** Opens the folder, which must not hold a database yet. */
  static async open(options: StageOptions): Promise<Stage> {
    const { folder, from, workers, scenes } = options;
    mkdirSync(folder, { recursive: true });
    const store = await openSqlite(join(folder, 'orrery.db'));
    const executions: Execution[] = [];
    const play: Play = (assignment) => {
      const { workflow, taskName } = assignment;
      const at = engine.clock.now();
      const told = scenes[`${workflow}/${taskName}`]?.(assignment) ?? {};
      const scene = { after: usualTime(assignment), state: 'success' as const, ...told };
      const lines = linesOf(assignment, scene, at, at + scene.after);
      executions.push({ assignment, at, scene });
      return {
        ...scene,
        logTail: lines.slice(-TAIL_LINES).join(''),
        exitCode: scene.state === 'success' ? 0 : 1,
        cpuTime: Math.round(scene.after * 0.3),
        peakMemory: 20_000_000 + scene.after * 2_000,
      };
    };
    const engine = await Engine.start(play, calm, { store, now: from, workers });
    const api = await serveEngine(engine, folder);
    return new Stage({ store, engine, api, executions }, options);
  }

  get clock(): VirtualClock {
    return this.engine.clock;
  }

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    await this.engine.pass(milliseconds);
  }

  /** Lets time pass until a moment. */
  async passUntil(moment: number): Promise<void> {
    await this.pass(moment - this.clock.now());
  }

  /** Moves the clock alone: nothing that was asked for last is dealt with. */
  freeze(moment: number): void {
    this.clock.step(moment - this.clock.now());
  }

  /** Starts a run by hand and lets it begin. */
  async start(workflow: string, more: object = {}): Promise<number> {
    const { id } = await this.client.startRun({ body: { workflow, trigger: 'manual', ...more } });
    await this.pass(1_000);
    return id;
  }

  /**
   * Ends the play in its current state: nodes were just seen, and logs are as long as their attempts lasted.
   */
  async close(): Promise<void> {
    const now = this.clock.now();
    for (const { assignment, at, scene } of this.executions) {
      const { workflow, attempt } = assignment;
      const path = logPath(join(this.options.folder, 'logs'), workflow, attempt);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, linesOf(assignment, scene, at, now).join(''));
    }
    await this.api.stop();
    await this.store.close();
    const db = new DatabaseSync(join(this.options.folder, 'orrery.db'));
    for (const [table, gone] of [
      ['node', 'fenced'],
      ['worker', 'lost'],
    ])
      db.prepare(`UPDATE ${table} SET beat_at = ? WHERE ${gone} = 0`).run(now);
    db.close();
  }
}

/** A plausible time for an attempt, the same whenever it is asked for. */
function usualTime({ attempt: { run, task, shard, number } }: Assignment): number {
  const mixed = Math.imul(run * 31 + task * 7 + shard * 3 + number, 0x9e3779b1) >>> 8;
  return 800 + (mixed % 14_000);
}
