/**
 * Compares the database's records with what really happened: ticks, runs, attempts, and the marks that
 * attempts left. Returns one line for each thing that was lost, duplicated, stuck or left behind.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finalRunStates } from '@orrery/core/state';
import pg from 'pg';

const SECOND = 1_000;
/** Tables that are empty when all work has ended. */
const MOVING = ['ready', 'assignment', 'inbox', 'command', 'limit_slot', 'limit_wait'];
const final = finalRunStates.map((state) => `'${state}'`).join();

interface Attempt {
  readonly key: string;
  readonly state: string;
  readonly late: boolean;
}

export class Checker {
  private readonly pool: pg.Pool;
  private readonly marks: string;

  constructor(database: string, marks: string) {
    this.pool = new pg.Pool({ connectionString: database, max: 2 });
    this.pool.on('error', () => {});
    this.marks = marks;
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** The time up to which every schedule has fired. */
  async firedUntil(): Promise<number> {
    const [{ until }] = await this.ask<{ until: string }>(
      'SELECT min(fired_until) AS until FROM schedule WHERE enabled = 1',
    );
    return Number(until);
  }

  /** Paused runs, which a person must resume. */
  async paused(): Promise<number[]> {
    return (await this.ask<{ id: string }>("SELECT id FROM run WHERE state = 'paused'")).map(({ id }) =>
      Number(id),
    );
  }

  /** How many rows of unfinished work there are. */
  async open(): Promise<number> {
    const counts = MOVING.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
    const [{ open }] = await this.ask<{ open: string }>(
      `SELECT ${counts} + (SELECT count(*) FROM run WHERE state NOT IN (${final})) AS open`,
    );
    return Number(open);
  }

  /** Every fault once all work has ended; `started` are the runs whose start was answered. */
  async faults(started: readonly number[]): Promise<string[]> {
    return [
      ...(await this.tickFaults()),
      ...(await this.runFaults(started)),
      ...(await this.attemptFaults()),
      ...this.orphans(),
    ].slice(0, 50);
  }

  /** What came of it, in numbers. */
  async summary(): Promise<Record<string, number>> {
    const count = async (name: string, text: string) => {
      const rows = await this.ask<{ state: string; n: string }>(text);
      return rows.map(({ state, n }): [string, number] => [`${name} ${state}`.trim(), Number(n)]);
    };
    return Object.fromEntries([
      ...(await count('ticks', "SELECT '' AS state, count(*) AS n FROM tick")),
      ...(await count('runs', 'SELECT state, count(*) AS n FROM run GROUP BY state')),
      ...(await count('attempts', 'SELECT state, count(*) AS n FROM attempt GROUP BY state')),
      ...(await count('plans', "SELECT '' AS state, count(*) AS n FROM plan")),
    ]);
  }

  private async tickFaults(): Promise<string[]> {
    const schedules = await this.ask<Record<'id' | 'n' | 'first' | 'last' | 'runs', string>>(
      `SELECT s.id, count(t.due) AS n, min(t.due) AS first, max(t.due) AS last, count(DISTINCT r.id) AS runs
       FROM schedule s LEFT JOIN tick t ON t.schedule = s.id LEFT JOIN run r ON r.id = t.run GROUP BY s.id`,
    );
    const skipped = await this.ask<{ schedule: string; reason: string }>(
      'SELECT schedule, reason FROM tick_skip',
    );
    const [{ extra }] = await this.ask<{ extra: string }>(
      "SELECT count(*) AS extra FROM run r WHERE name LIKE 'ticker%' AND NOT EXISTS (SELECT FROM tick t WHERE t.run = r.id)",
    );
    return [
      ...schedules.flatMap(({ id, n, first, last, runs }) => {
        const expected = (Number(last) - Number(first)) / SECOND + 1;
        if (Number(n) !== expected) return [`schedule ${id}: ${n} ticks instead of ${expected}`];
        return runs === n ? [] : [`schedule ${id}: ${n} ticks, but ${runs} runs`];
      }),
      ...skipped.map(({ schedule, reason }) => `schedule ${schedule} skipped ticks: ${reason}`),
      ...(extra === '0' ? [] : [`${extra} runs of schedules without a tick`]),
    ];
  }

  private async runFaults(started: readonly number[]): Promise<string[]> {
    const runs = await this.ask<{ id: string; state: string; owner: string | null }>(
      "SELECT id, state, owner FROM run WHERE name = 'flow'",
    );
    const known = new Set(runs.map(({ id }) => Number(id)));
    const bad = await this.ask<{ id: string; state: string; error: string | null }>(
      "SELECT id, state, error FROM run WHERE name LIKE 'ticker%' AND state <> 'success' OR state = 'broken'",
    );
    const owned = await this.ask<{ id: string; owner: string }>(
      'SELECT id, owner FROM run WHERE owner IS NOT NULL',
    );
    return [
      ...started.filter((run) => !known.has(run)).map((run) => `run ${run} was promised and is not there`),
      ...(new Set(started).size === known.size ? [] : [`${known.size} runs for ${started.length} starts`]),
      // No person touches runs of schedules, and their task cannot fail.
      ...bad.map(({ id, state, error }) => `run ${id} ended as ${state}: ${error}`),
      ...owned.map(({ id, owner }) => `run ${id} has ended and is owned by ${owner}`),
    ];
  }

  private async attemptFaults(): Promise<string[]> {
    const attempts = new Map<string, Attempt>();
    const rows = await this.ask<{ key: string; task: string; state: string; late: boolean }>(
      `SELECT run || '.' || CASE WHEN r.name = 'flow' THEN chr(97 + task::int) ELSE 'x' END AS task,
         number AS key, a.state, late = 1 AS late FROM attempt a JOIN run r ON r.id = a.run`,
    );
    for (const { key, task, state, late } of rows) attempts.set(`${task} ${key}`, { key: task, state, late });
    const ran = this.ran();
    const good = new Map<string, number>();
    for (const { key, state, late } of attempts.values())
      if (state === 'success' && !late) good.set(key, (good.get(key) ?? 0) + 1);
    const done = await this.ask<{ task: string }>(
      `SELECT run || '.' || CASE WHEN r.name = 'flow' THEN chr(97 + task::int) ELSE 'x' END AS task
       FROM task_run t JOIN run r ON r.id = t.run WHERE t.state = 'success'`,
    );
    return [
      ...[...ran].flatMap(([attempt, times]) => {
        if (times > 1) return [`attempt ${attempt} ran ${times} times`];
        return attempts.has(attempt) ? [] : [`attempt ${attempt} ran and is not recorded`];
      }),
      ...[...attempts]
        .filter(([attempt, { state }]) => state === 'success' && !ran.has(attempt))
        .map(([attempt]) => `attempt ${attempt} is recorded as success and never ran`),
      ...done
        .filter(({ task }) => good.get(task) !== 1)
        .map(({ task }) => `task ${task} succeeded by ${good.get(task) ?? 0} attempts`),
      ...(await this.storyOf(done.filter(({ task }) => good.get(task) !== 1).map(({ task }) => task))),
      ...readdirSync(this.marks)
        .filter((file) => file.endsWith('-overlap'))
        .flatMap((file) => lines(join(this.marks, file)).map((line) => `two attempts ran at once: ${line}`)),
    ];
  }

  /** What the database knows of tasks that are wrong, for whoever looks for the reason. */
  private async storyOf(tasks: readonly string[]): Promise<string[]> {
    const runs = [...new Set(tasks.map((task) => Number(task.split('.')[0])))];
    const about = (table: string, run: string) =>
      this.ask<{ row: string }>(
        `SELECT row_to_json(x)::text AS row FROM ${table} x WHERE ${run} = ANY($1) ORDER BY 1`,
        [runs],
      );
    const found = [
      ...(await about('attempt', 'run')),
      ...(await about('task_run', 'run')),
      ...(await about("(SELECT * FROM history WHERE kind = 'run')", 'subject::bigint')),
    ];
    return found.map(({ row }) => row);
  }

  /** How often each attempt ran, by the marks that they left. */
  private ran(): Map<string, number> {
    const ran = new Map<string, number>();
    const add = (attempt: string, times: number) => ran.set(attempt, (ran.get(attempt) ?? 0) + times);
    for (const line of lines(join(this.marks, 'marks'))) add(line, 1);
    for (const file of readdirSync(this.marks)) {
      const [, task, number] = /^shell\.(\d+\.\w)\.(\d+)$/.exec(file) ?? [];
      if (task !== undefined) add(`${task} ${number}`, lines(join(this.marks, file)).length);
    }
    return ran;
  }

  /** Leftover processes of tasks. */
  private orphans(): string[] {
    return readdirSync(this.marks)
      .filter((file) => /^shell\..*\.\d+$/.test(file))
      .flatMap((file) => lines(join(this.marks, file)).map((pid) => ({ file, pid })))
      .filter(({ pid }) => environmentOf(pid).includes('ORRERY_TASK_RUN='))
      .map(({ file, pid }) => `process ${pid} of ${file} is still there`);
  }

  private async ask<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(text, values)).rows;
  }
}

function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
