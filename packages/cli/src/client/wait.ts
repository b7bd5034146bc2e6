/** Waits for a run to end, telling what happens to it meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, Unreachable } from './api-client.ts';
import { readRun } from './run-page.ts';
import { endedStates, endedTaskStates, type RunPage } from './shapes.ts';

/** How waiting is told; all of it is optional reading. */
export interface Listener {
  taskEnded(task: RunPage['tasks'][number]): void;
  /** Nothing has changed for a while: the reason, once for each. */
  stillWaiting(why: string): void;
}

const FASTEST = 50;
const SLOWEST = 1_000;
/** Without a change for this long, people want to know why. */
const IMPATIENT = 3_000;
/** A server that restarts is back within this time. */
const PATIENT = 60_000;

/** The run once it has ended. */
export async function waitForEnd(api: ApiClient, id: number, listener: Listener): Promise<RunPage> {
  const told = new Set<string>();
  let pause = FASTEST;
  let changed = Date.now();
  let last = '';
  let said = '';
  let away: number | undefined;
  for (;;) {
    try {
      const run = await readRun(api, id);
      away = undefined;
      for (const task of run.tasks) {
        const key = `${task.id} ${task.state} ${task.since}`;
        if (!endedTaskStates.includes(task.state) || task.since === null || told.has(key)) continue;
        told.add(key);
        listener.taskEnded(task);
      }
      if (endedStates.includes(run.state)) return run;
      const now = `${run.state} ${run.tasks.map(({ state, attempt }) => state + attempt)}`;
      pause = now === last ? Math.min(pause * 1.5, SLOWEST) : FASTEST;
      if (now !== last) changed = Date.now();
      last = now;
      if (Date.now() - changed > IMPATIENT) {
        const { why } = run.why;
        if (why !== said) listener.stillWaiting(why);
        said = why;
        changed = Date.now();
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      away ??= Date.now();
      if (Date.now() - away > PATIENT) throw error;
      pause = SLOWEST;
    }
    await sleep(pause);
  }
}
