/** The runs of a bulk: which of them allow its change, judged by stored data, and why the others do not. */

import type { RunRequest } from '@orrery/core/run';
import { controlsOf, type StoredRun } from '@orrery/core/run/allowed';
import { type Control, reopens } from '@orrery/core/run/events';
import type { RunState } from '@orrery/core/state';
import { english, said } from '@orrery/core/texts';
import { batch, type Operation } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { bodyOf } from '../limits/wait-list.ts';
import { findRuns, type RunList } from '../lists/run-list.ts';
import { type InboxMessage, messageOf } from '../runs/inbox.ts';
import { downstreamProjects } from '../runs/reach.ts';

/** Controls that need nothing but the run. */
type BulkControl = 'pause' | 'resume' | 'stop' | 'recover' | 'rerun';

/** Actions on many runs: controls, and changes of tags. */
export type BulkAction = BulkControl | 'tag' | 'untag';

/** Outcome for one run. `left` was not reached yet; in an aborted bulk it never will be. */
export interface BulkRunRow {
  readonly run: number;
  readonly outcome: 'left' | 'told' | 'refused';
  readonly reason: string | null;
}

/** A bulk's request, and the only project it may touch. */
export interface BulkAsking {
  readonly action: BulkAction;
  readonly project: string | null;
}

/** Refusal for a run that does not exist or is out of the asker's reach. */
export const noSuchRun = english(said('control.noRun'));

/** Whether an action changes tags, which applies at once to a run in any state. */
export function changesTags(action: BulkAction): action is 'tag' | 'untag' {
  return action === 'tag' || action === 'untag';
}

/** The control of an action. */
export function controlOf(action: BulkControl): Control {
  return action === 'rerun' ? { type: action, scope: { kind: 'all', tasks: [] } } : { type: action };
}

/** Previews a bulk on the next runs of a list or on given ones, without writing anything. */
export function* tryBulk(
  input: BulkAsking & {
    readonly choice: { readonly ids: readonly number[] } | { readonly list: RunList };
    readonly before?: number;
    readonly limit: number;
  },
): Operation<{
  readonly allowed: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** Upper bound of the next page; undefined at the end. Given runs are processed in one page. */
  readonly next: number | undefined;
}> {
  const { choice, before, limit } = input;
  const { ids, next } =
    'ids' in choice
      ? { ids: [...new Set(choice.ids)], next: undefined }
      : yield* findRuns({ ...choice.list, before, limit });
  const refused = yield* refusalsOf(input, ids);
  return { allowed: ids.length - refused.size, refusals: countReasons(refused.values()), next };
}

/** Counts the refusals by reason. */
export function countReasons(reasons: Iterable<string>, before: Readonly<Record<string, number>> = {}) {
  const counts: Record<string, number> = { ...before };
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** The runs that do not allow the action, with the reason. */
export function* refusalsOf(
  { action, project }: BulkAsking,
  runs: readonly number[],
): Operation<Map<number, string>> {
  const stored = yield* storedRuns(runs);
  const refused = new Map<number, string>();
  for (const run of runs) {
    const found = stored.get(run);
    const isTheirs = found !== undefined && (project === null || found.project === project);
    if (isTheirs && changesTags(action)) continue;
    const control = isTheirs ? controlsOf(found).find(({ name }) => name === action) : undefined;
    if (!control) refused.set(run, noSuchRun);
    else if (project !== null && found?.reach.some((each) => each !== project))
      refused.set(run, english(said('control.otherProjects')));
    else if (!control.allowed) refused.set(run, english(control.why ?? said('control.notNow')));
  }
  return refused;
}

/** `reach`: projects of the workflows that a backfill runs downstream. */
type Stored = StoredRun & { readonly project: string; readonly reach: readonly string[] };

function* storedRuns(runs: readonly number[]): Operation<ReadonlyMap<number, Stored>> {
  // Commands first: one claimed meanwhile is then among the runs.
  const commands = yield* ofRuns<{ run: number; body: string }>(
    'seq AS run, body',
    'command WHERE seq',
    runs,
  );
  const claimed = yield* ofRuns<{ run: number; project: string; state: RunState; backfill: string | null }>(
    `id AS run, project, state, CASE WHEN kind = 'backfill' THEN request END AS backfill`,
    'run WHERE id',
    runs,
  );
  const openings = yield* openingsOf(claimed.map(({ run }) => run));
  return new Map<number, Stored>([
    ...commands.map(({ run, body }): [number, Stored] => {
      const { project = '', request } = readOr<{ project?: string; request?: Partial<RunRequest> }>(body, {});
      return [run, { project, state: 'queued', reach: downstreamProjects(request) }];
    }),
    ...claimed.map(({ run, project, state, backfill }): [number, Stored] => {
      const reach = downstreamProjects(readOr(backfill ?? '{}', {}));
      return [run, { project, state, opening: openings.get(run), reach }];
    }),
  ]);
}

/** Requested reruns and recoveries that have not begun: in the inbox of a run, or waiting for a slot. */
function* openingsOf(runs: readonly number[]): Operation<ReadonlyMap<number, Control['type']>> {
  const told = yield* ofRuns<{ run: number; body: string }>(
    'run, body',
    `inbox WHERE body LIKE '{"type":"control"%' AND run`,
    runs,
  );
  const waiting = yield* ofRuns<{ run: number; body: string }>(
    'run, body',
    'limit_wait WHERE task = -1 AND run',
    runs,
  );
  const messages = [
    ...told.map(({ run, body }) => ({ run, message: messageOf(body) as InboxMessage | undefined })),
    ...waiting.map(({ run, body }) => ({ run, message: bodyOf({ body })?.message })),
  ];
  return new Map(
    messages.flatMap(({ run, message }) =>
      message?.type === 'control' && reopens(message.control) ? [[run, message.control.type]] : [],
    ),
  );
}

/** Rows that belong to runs; `from` ends with the column of the run's id. */
function* ofRuns<Row>(columns: string, from: string, runs: readonly number[]): Operation<readonly Row[]> {
  const { rows } = yield* batch<Row>(
    {
      sqlite: `SELECT ${columns} FROM ${from} = ?1`,
      postgres: `SELECT ${columns} FROM ${from} = ANY (?1::int8[])`,
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return rows;
}
