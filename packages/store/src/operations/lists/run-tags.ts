/** Tags of runs: words for finding them. A run has its workflow's tags and those it was started with. */
import { batch, type Operation } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { audit } from '../access/audit.ts';
import type { Command } from '../runs/commands.ts';
import { appendEvents } from '../runs/feed.ts';
import { remember } from './history.ts';

/** Stored form of tags: unique and sorted; null for none, so that an index can leave such runs out. */
export function tagsText(tags: readonly string[] = []): string | null {
  return tags.length === 0 ? null : JSON.stringify([...new Set(tags)].sort());
}

/** Parses stored tags. */
export function tagsOf(text: string | null): readonly string[] {
  return text === null ? [] : JSON.parse(text);
}

/** Tag limit of a run. */
const MOST_TAGS = 50;

/** Refusal when a run would exceed the limit. */
const tooMany = `it would have more than ${MOST_TAGS} tags`;

/** Replaces the tags of a run, claimed or not; false if it does not exist. */
export function* setRunTags(input: {
  readonly run: number;
  readonly tags: readonly string[];
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { run, tags, by, now } = input;
  let before: readonly string[] = [];
  const { missing } = yield* changeTags({
    runs: [run],
    tags: (given) => {
      before = given;
      return tags;
    },
    by,
    now,
  });
  if (missing.length === 0) yield* audit(by, 'run.tag', String(run), { before, after: tags }, now);
  return missing.length === 0;
}

/** Changes the tags of many runs in one transaction; each change goes into the run's history. */
export function* changeTags(input: {
  readonly runs: readonly number[];
  /** Computes the new tags of a run from its tags. */
  readonly tags: (before: readonly string[]) => readonly string[];
  readonly by: string;
  readonly reason?: string;
  /** The bulk that asks for it. */
  readonly bulk?: number;
  readonly now: number;
}): Operation<{ readonly refused: ReadonlyMap<number, string>; readonly missing: readonly number[] }> {
  const { by, reason, bulk, now } = input;
  const runs = [...new Set(input.runs)].sort((a, b) => a - b);
  const refused = new Map<number, string>();
  const changed = new Map<number, string>();
  const next = (run: number, before: readonly string[]): readonly string[] => {
    const tags = [...new Set(input.tags(before))].sort();
    const fits = tags.length <= Math.max(MOST_TAGS, before.length);
    if (fits) changed.set(run, tags.join(', '));
    else refused.set(run, tooMany);
    return fits ? tags : before;
  };
  // Commands first: one claimed meanwhile is then a run. Rows stay locked until the commit.
  const commands = yield* lockCommands(runs);
  yield* setOfCommands(
    commands.map(({ run, body }) => {
      const command: Command = JSON.parse(body);
      return [run, JSON.stringify({ ...command, tags: next(run, command.tags ?? []) })];
    }),
  );
  const queued = new Set(commands.map(({ run }) => run));
  const claimed = yield* lockRuns(runs.filter((run) => !queued.has(run)));
  yield* setOfRuns(
    claimed.map(({ run, tags }) => [run, tagsText(next(run, tagsOf(tags)))]),
    now,
  );
  yield* remember(
    [...changed].map(([run, tags]) => ({
      actor: by,
      kind: 'run',
      subject: String(run),
      action: 'tag',
      body: { reason: reason === undefined ? tags : `${tags}: ${reason}`, bulk },
    })),
    now,
  );
  const known = new Set([...queued, ...claimed.map(({ run }) => run)]);
  return { refused, missing: runs.filter((run) => !known.has(run)) };
}

function* lockCommands(
  runs: readonly number[],
): Operation<readonly { readonly run: number; readonly body: string }[]> {
  const { rows } = yield* batch<{ run: number; body: string }>(
    {
      sqlite: 'SELECT seq AS run, body FROM command WHERE seq = ?1',
      postgres: 'SELECT seq AS run, body FROM command WHERE seq = ANY (?1::int8[]) ORDER BY seq FOR UPDATE',
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return rows;
}

function* lockRuns(
  runs: readonly number[],
): Operation<readonly { readonly run: number; readonly tags: string | null }[]> {
  const { rows } = yield* batch<{ run: number; tags: string | null }>(
    {
      sqlite: 'SELECT id AS run, tags FROM run WHERE id = ?1',
      postgres: 'SELECT id AS run, tags FROM run WHERE id = ANY (?1::int8[]) ORDER BY id FOR UPDATE',
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return rows;
}

const keyed = ['int', 'text'] as const;

function* setOfCommands(list: readonly (readonly [run: number, body: string])[]): Operation<void> {
  yield* batch(
    {
      sqlite: 'UPDATE command SET body = ?2 WHERE seq = ?1',
      postgres: `UPDATE command c SET body = k.body FROM ${unnest(keyed)} AS k(run, body) WHERE c.seq = k.run`,
    },
    keyed,
    list,
  );
}

function* setOfRuns(
  list: readonly (readonly [run: number, tags: string | null])[],
  now: number,
): Operation<void> {
  const told = 'id AS run, state, workflow, parent, revision';
  const { rows } = yield* batch<{
    run: number;
    state: string;
    workflow: number;
    parent: number | null;
    revision: number;
  }>(
    {
      sqlite: `UPDATE run SET tags = ?2 WHERE id = ?1 RETURNING ${told}`,
      postgres: `UPDATE run r SET tags = k.tags FROM ${unnest(keyed)} AS k(run, tags) WHERE r.id = k.run
        RETURNING r.id AS run, r.state, r.workflow, r.parent, r.revision`,
    },
    keyed,
    list,
  );
  // The owner did not make this change, so it keeps the revision: clients may see the same revision twice.
  yield* appendEvents(
    null,
    rows.map(({ run, revision, state, workflow, parent }) => ({
      topic: 'run',
      subject: run,
      revision,
      body: JSON.stringify({ state, workflow, parent: parent ?? undefined, tasks: [] }),
    })),
    now,
  );
}
