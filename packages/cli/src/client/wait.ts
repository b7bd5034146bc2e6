/** Waits for a run to end, telling what happens to it meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Unreachable, type WatchedRun, watchRun } from '@orrery/sdk/client';
import { hasEnded } from './states.ts';
import { type ShownTask, tasksOf } from './tasks.ts';

/** Callbacks that report the progress of waiting; all are optional. */
export interface Listener {
  taskEnded(task: ShownTask): void;
  /** Nothing has changed for a while: the reason, once for each. */
  stillWaiting(why: string): void;
}

/** A run that has ended, with its task runs. */
export interface EndedRun extends WatchedRun {
  readonly tasks: readonly ShownTask[];
}

/** Without a change for this long, people want to know why. */
const IMPATIENT = 3_000;
/** A server that restarts is back within this time. */
const PATIENT = 60_000;
const TRY_EVERY = 1_000;

/** The run once it has ended. */
export async function waitForEnd(client: Client, id: number, listener: Listener): Promise<EndedRun> {
  const teller = tellOnce(listener);
  let away: number | undefined;
  for (;;) {
    try {
      return await follow(client, id, teller, () => {
        away = undefined;
      });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      away ??= Date.now();
      if (Date.now() - away > PATIENT) throw error;
      await sleep(TRY_EVERY);
    }
  }
}

/** Follows a run while the server answers. */
async function follow(
  client: Client,
  id: number,
  listener: Listener,
  onAnswer: () => void,
): Promise<EndedRun> {
  const over = new AbortController();
  const runs = watchRun(client, id, { signal: over.signal });
  try {
    for (;;) {
      const change = runs.next();
      // Abandoned below, it still settles; its error must not be reported.
      change.catch(() => {});
      const run = await orWhy(change, client, id, listener);
      onAnswer();
      const tasks = await tasksOf(client, id);
      for (const task of tasks) if (hasEnded(task.state)) listener.taskEnded(task);
      if (hasEnded(run.state)) return { ...run, tasks };
    }
  } finally {
    over.abort();
    await runs.return();
  }
}

/**
 * The next change, or the reason while there is none. Requesting the reason also tests whether the server
 * still answers.
 */
async function orWhy(
  change: Promise<IteratorResult<WatchedRun, void>>,
  client: Client,
  id: number,
  listener: Listener,
): Promise<WatchedRun> {
  for (;;) {
    const impatience = new AbortController();
    const waited = sleep(IMPATIENT, undefined, { signal: impatience.signal }).catch(() => undefined);
    const first = await Promise.race([change, waited]);
    impatience.abort();
    if (first?.value) return first.value;
    listener.stillWaiting((await client.explain({ id })).why);
  }
}

/** Tells everything once: a task again only when it has ended again. */
function tellOnce(listener: Listener): Listener {
  const told = new Set<string>();
  let said = '';
  return {
    taskEnded(task) {
      // Outside the part that is walked: nothing has happened to it.
      if (task.since === null) return;
      const key = `${task.id} ${task.state} ${task.since}`;
      if (!told.has(key)) listener.taskEnded(task);
      told.add(key);
    },
    stillWaiting(why) {
      if (why !== said) listener.stillWaiting(why);
      said = why;
    },
  };
}
