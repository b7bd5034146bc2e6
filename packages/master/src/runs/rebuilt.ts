/** Rebuilds runs from the store, and recognizes those that can never be rebuilt. */
import { InvalidInput } from '@orrery/core/errors';
import { type Plan, type RunRows, restore } from '@orrery/core/run';
import { BadEntry, type LoadedRun } from '@orrery/store';
import { keyText, newEntry, type RunEntry } from './run-entry.ts';

/** A run that was rebuilt. */
interface Rebuilt {
  readonly entry: RunEntry;
  /** Whether its start is still to be decided. */
  readonly isNew: boolean;
  /** Attempts that are queued, assigned or running, or whose outcome is on its way. */
  readonly alive: ReadonlySet<string>;
}

/** Rebuilds a run, or returns why it cannot be rebuilt: its stored rows contradict each other. */
export function rebuilt(plan: Plan, loaded: LoadedRun): Rebuilt | Error {
  const { rows, request, inbox } = loaded;
  try {
    const isNew = rows.fields.state === 'waiting' || rows.fields.unstarted === true || isUnbegun(rows);
    const { scope, admission } = request;
    const run = restore(plan, request, isUnbegun(rows) ? asWaiting(rows) : rows);
    const alive = new Set(loaded.alive.map(keyText));
    for (const { message } of inbox) if (message.type === 'outcome') alive.add(keyText(message.attempt));
    return { entry: newEntry({ ...loaded, limited: admission !== undefined, scope }, run), isNew, alive };
  } catch (error) {
    return error as Error;
  }
}

/** Wraps errors caused by a run's own data as BadEntry; passes others through. */
export function asBadEntry(error: unknown): unknown {
  const own = [TypeError, RangeError, SyntaxError, InvalidInput].some((kind) => error instanceof kind);
  return own ? new BadEntry((error as Error).message) : error;
}

/** A master claimed the run and died before it decided on the start: no task has changed. */
function isUnbegun({ fields, tasks }: RunRows): boolean {
  return fields.state === 'running' && fields.round === 1 && tasks.length === 0;
}

/** The rows of a run whose start is still to be decided. */
function asWaiting({ fields, tasks }: RunRows): RunRows {
  return { fields: { ...fields, state: 'waiting' }, tasks };
}
