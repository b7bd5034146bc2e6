/** Tags of runs: words that people find them by. A run has those of its workflow and those it was started with. */
import { change, type Operation, row } from '../operation.ts';
import { type Command, readCommand } from './commands.ts';
import { appendEvents } from './feed.ts';
import { remember } from './history.ts';

/** Tags as a run has them stored: each once, in order; null for none, so that an index can leave such runs out. */
export function tagsText(tags: readonly string[] = []): string | null {
  return tags.length === 0 ? null : JSON.stringify([...new Set(tags)].sort());
}

/** The tags of a stored text. */
export function tagsOf(text: string | null): readonly string[] {
  return text === null ? [] : JSON.parse(text);
}

/** Replaces the tags of a run, also of one whose command still waits; false where there is no such run. */
export function* setRunTags(input: {
  readonly run: number;
  readonly tags: readonly string[];
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { run, tags, by, now } = input;
  // The command first: one that is claimed meanwhile is then a run. Its row is locked by what is written to it.
  const changed = (yield* setOfCommand(run, tags)) || (yield* setOfRun(run, tags, now));
  if (changed) {
    const body = { reason: [...new Set(tags)].sort().join(', ') };
    yield* remember([{ actor: by, kind: 'run', subject: String(run), action: 'tag', body }], now);
  }
  return changed;
}

function* setOfCommand(run: number, tags: readonly string[]): Operation<boolean> {
  const found = yield* readCommand({ run });
  if (!found) return false;
  const command: Command = { ...JSON.parse(found.body), tags };
  const text = JSON.stringify(command);
  return (yield* change('UPDATE command SET body = ?2 WHERE seq = ?1', run, text)) > 0;
}

function* setOfRun(run: number, tags: readonly string[], now: number): Operation<boolean> {
  const found = yield* row<{ state: string; workflow: number; parent: number | null; revision: number }>(
    'UPDATE run SET tags = ?2 WHERE id = ?1 RETURNING state, workflow, parent, revision',
    run,
    tagsText(tags),
  );
  if (!found) return false;
  // Not a change of its owner's, whose revision this leaves alone: whoever watches takes the same one twice.
  const { revision, state, workflow, parent } = found;
  const body = JSON.stringify({ state, workflow, parent: parent ?? undefined, tasks: [] });
  yield* appendEvents(null, [{ topic: 'run', subject: run, revision, body }], now);
  return true;
}
