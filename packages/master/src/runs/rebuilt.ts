/** Runs as they come back from the store, and what tells that one never will. */
import { InvalidInput } from '@orrery/core/errors';
import { type Plan, type RunRows, restore } from '@orrery/core/run';
import { BadEntry, type LoadedRun } from '@orrery/store';
import { keyText, newEntry, type RunEntry } from './run-entry.ts';

/** A run that was rebuilt. */
interface Rebuilt {
  readonly entry: RunEntry;
  /** Its start still has to be decided. */
  readonly isNew: boolean;
  /** Attempts that are somewhere, or whose outcome is on its way. */
  readonly alive: ReadonlySet<string>;
}

/** Rebuilds a run; or says why nobody can: what is stored of it does not fit together. */
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

/** An error of what a run is made of, met on the way to the store, as what it is; others as they are. */
export function asBadEntry(error: unknown): unknown {
  const own = [TypeError, RangeError, SyntaxError, InvalidInput].some((kind) => error instanceof kind);
  return own ? new BadEntry((error as Error).message) : error;
}

/** Claimed by a master that died before it could say what the start means: no task was ever touched. */
function isUnbegun({ fields, tasks }: RunRows): boolean {
  return fields.state === 'running' && fields.round === 1 && tasks.length === 0;
}

/** The rows of a run whose start still has to be decided. */
function asWaiting({ fields, tasks }: RunRows): RunRows {
  return { fields: { ...fields, state: 'waiting' }, tasks };
}
