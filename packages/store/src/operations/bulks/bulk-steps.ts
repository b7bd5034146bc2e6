/**
 * The steps of bulks: transactions of bounded size, taken by any master. A step locks its bulk, so two
 * masters never process the same one, and a run's message commits together with its outcome. The bulk with
 * the fewest steps goes first: a small bulk never waits for a large one.
 */
import { batch, type Operation, row, rows } from '../../operation.ts';
import { readJson } from '../../stored.ts';
import { unnest } from '../../table.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { findRuns, type RunList } from '../lists/run-list.ts';
import { changeTags } from '../lists/run-tags.ts';
import { sendControls } from '../runs/controls.ts';
import { type BulkAction, changesTags, controlOf, countReasons, noSuchRun, refusalsOf } from './bulk-runs.ts';
import { abortBulk, addBulkRuns, tellBulk } from './bulks.ts';

interface Open {
  readonly id: number;
  readonly action: BulkAction;
  readonly tags: string | null;
  readonly list: string | null;
  readonly below: number | null;
  readonly project: string | null;
  readonly actor: string;
  readonly reason: string | null;
  readonly refusals: string;
}

/** Changes made by a step. */
interface Stepped {
  readonly found: number;
  readonly told: number;
  readonly refused: readonly string[];
  readonly below: number | null;
  readonly isDone: boolean;
  /** Whether runs got inbox messages. */
  readonly inboxes: boolean;
}

/** Processes at most `limit` runs of the next bulk. `more`: another step may be possible at once. */
export function* stepBulk(input: {
  readonly self: Self;
  readonly limit: number;
  readonly now: number;
}): Operation<{ readonly inboxes: boolean; readonly more: boolean }> {
  const { self, limit, now } = input;
  yield* checkSelf(self);
  const bulk = yield* lockNext();
  if (!bulk) return { inboxes: false, more: false };
  const bad = unreadable(bulk);
  if (bad !== undefined) {
    yield* abortBulk({ id: bulk.id, by: self.node, reason: `${bad} of it cannot be read`, now });
    return { inboxes: false, more: true };
  }
  const { found, told, refused, below, isDone, inboxes } =
    bulk.list !== null && bulk.below !== null
      ? yield* gather(bulk, JSON.parse(bulk.list), bulk.below, limit)
      : yield* tellNext(bulk, limit, now);
  const stored = yield* row<{ revision: number }>(
    `UPDATE bulk SET below = ?2, total = total + ?3, told = told + ?4, refused = refused + ?5, refusals = ?6,
       state = ?7, ended_at = ?8, revision = revision + 1 WHERE id = ?1 RETURNING revision`,
    bulk.id,
    below,
    found,
    told,
    refused.length,
    JSON.stringify(countReasons(refused, JSON.parse(bulk.refusals))),
    isDone ? 'done' : 'running',
    isDone ? now : null,
  );
  yield* tellBulk(self, { id: bulk.id, revision: stored?.revision ?? 0 }, now);
  return { inboxes, more: true };
}

/** Why a bulk cannot be read, if so. An unreadable bulk cannot proceed and would block the others. */
function unreadable({ list, tags, refusals }: Open): string | undefined {
  const texts = { list, tags, refusals };
  return Object.entries(texts).find(([, text]) => text !== null && !isReadable(text))?.[0];
}

function isReadable(text: string): boolean {
  try {
    readJson(text, '');
    return true;
  } catch {
    return false;
  }
}

function* lockNext(): Operation<Open | undefined> {
  const next = `SELECT id, action, tags, list, below, project, actor, reason, refusals FROM bulk WHERE state = 'running'
    ORDER BY revision, id LIMIT 1`;
  return yield* row<Open>({ sqlite: next, postgres: `${next} FOR UPDATE SKIP LOCKED` });
}

/** Records the next runs that the bulk covers. */
function* gather(bulk: Open, list: RunList, below: number, limit: number): Operation<Stepped> {
  const { ids, next } = yield* findRuns({ ...list, before: below, limit });
  yield* addBulkRuns(bulk.id, ids);
  return { found: ids.length, told: 0, refused: [], below: next ?? null, isDone: false, inboxes: false };
}

/** Tells or refuses the next runs, oldest first: the order in which they began. */
function* tellNext(bulk: Open, limit: number, now: number): Operation<Stepped> {
  const { id } = bulk;
  const left = yield* rows<{ run: number }>(
    `SELECT run FROM bulk_run WHERE bulk = ?1 AND outcome = 'left' ORDER BY run LIMIT ?2`,
    id,
    limit,
  );
  const runs = left.map(({ run }) => run);
  const refused = yield* refusalsOf(bulk, runs);
  const allowed = runs.filter((run) => !refused.has(run));
  const inboxes = yield* tell(bulk, allowed, refused, now);
  yield* keepOutcomes(id, runs, refused);
  return {
    found: 0,
    told: runs.length - refused.size,
    refused: [...refused.values()],
    below: null,
    isDone: runs.length < limit,
    inboxes,
  };
}

/** Requests the change from runs and adds to `refused`; returns whether any inbox got a message. */
function* tell(
  bulk: Open,
  runs: readonly number[],
  refused: Map<number, string>,
  now: number,
): Operation<boolean> {
  const { action } = bulk;
  const asked = { runs, by: bulk.actor, reason: bulk.reason ?? undefined, bulk: bulk.id, now };
  if (changesTags(action)) {
    const given: readonly string[] = JSON.parse(bulk.tags ?? '[]');
    const changed = yield* changeTags({
      ...asked,
      tags: (before) =>
        action === 'tag' ? [...before, ...given] : before.filter((tag) => !given.includes(tag)),
    });
    for (const run of changed.missing) refused.set(run, noSuchRun);
    for (const [run, why] of changed.refused) refused.set(run, why);
    return false;
  }
  const sent = yield* sendControls({ ...asked, control: controlOf(action) });
  for (const run of sent.missing) refused.set(run, noSuchRun);
  for (const { run, reason } of sent.refused) refused.set(run, reason);
  return sent.told.length > 0;
}

function* keepOutcomes(
  bulk: number,
  runs: readonly number[],
  refused: ReadonlyMap<number, string>,
): Operation<void> {
  const types = ['int', 'int', 'text', 'text'] as const;
  yield* batch(
    {
      sqlite: 'UPDATE bulk_run SET outcome = ?3, reason = ?4 WHERE bulk = ?1 AND run = ?2',
      postgres: `UPDATE bulk_run b SET outcome = k.outcome, reason = k.reason
        FROM ${unnest(types)} AS k(bulk, run, outcome, reason) WHERE b.bulk = k.bulk AND b.run = k.run`,
    },
    types,
    runs.map((run) => [bulk, run, refused.has(run) ? 'refused' : 'told', refused.get(run) ?? null]),
  );
}
