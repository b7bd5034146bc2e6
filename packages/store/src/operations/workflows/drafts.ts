/** Drafts: a workflow being edited, separate from its live version. */

import type { Workflow } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { lockWorkflow } from './workflows.ts';

/** A draft as last saved; `base` is the version it started from. */
export interface DraftRow {
  readonly workflow: number;
  /** Content as the editor stores it; it need not be valid. */
  readonly body: string;
  readonly base: number | null;
  readonly revision: number;
  readonly author: string;
  readonly savedAt: number;
}

/** Saves a draft if it has not changed since `revision` (0: if there was none); returns the new revision. */
export function* saveDraft(input: {
  readonly project: string;
  readonly name: string;
  readonly body: string;
  readonly base: number | null;
  readonly revision: number;
  readonly author: string;
  readonly now: number;
}): Operation<{ workflow: number; revision: number }> {
  const { project, name, body, base, revision, author, now } = input;
  const { id } = yield* lockWorkflow(project, name, now);
  yield* change('UPDATE workflow SET deleted_at = NULL WHERE id = ?1 AND deleted_at IS NOT NULL', id);
  const saved = yield* change(
    revision === 0
      ? `INSERT INTO draft (workflow, body, base, revision, author, saved_at)
         VALUES (?1, ?2, ?3, ?4 + 1, ?5, ?6) ON CONFLICT (workflow) DO NOTHING`
      : `UPDATE draft SET body = ?2, base = ?3, revision = ?4 + 1, author = ?5, saved_at = ?6
         WHERE workflow = ?1 AND revision = ?4`,
    id,
    body,
    base,
    revision,
    author,
    now,
  );
  if (saved === 0) throw new Conflict(said('changed.draft', { workflow: `${project}/${name}` }));
  yield* appendEvents(null, [draftEvent(id, revision + 1, 'saved')], now);
  return { workflow: id, revision: revision + 1 };
}

/** The draft of a workflow. */
export function* readDraft(input: {
  readonly project: string;
  readonly name: string;
}): Operation<DraftRow | undefined> {
  return yield* row<DraftRow>(
    `SELECT d.workflow, d.body, d.base, d.revision, d.author, d.saved_at AS "savedAt"
     FROM workflow w JOIN draft d ON d.workflow = w.id WHERE w.project = ?1 AND w.name = ?2`,
    input.project,
    input.name,
  );
}

/** A draft and the live version beside it. */
export interface ShortDraft {
  readonly workflow: number;
  readonly revision: number;
  readonly text: string;
  readonly live: number;
  readonly before: Workflow;
}

/** Drafts of these workflows that have a live version and a text of at most `most` letters. */
export function* readShortDrafts(input: {
  readonly workflows: readonly number[];
  readonly most: number;
}): Operation<readonly ShortDraft[]> {
  const types = ['int', 'int'] as const;
  const columns = 'd.workflow, d.revision, d.body AS text, v.version AS live, v.body AS before';
  const versions = `JOIN workflow w ON w.id = d.workflow
    JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live`;
  const { rows: found } = yield* batch<Omit<ShortDraft, 'before'> & { before: string }>(
    {
      sqlite: `SELECT ${columns} FROM draft d ${versions} WHERE d.workflow = ?1 AND length(d.body) <= ?2`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} AS k(workflow, most)
        JOIN draft d ON d.workflow = k.workflow AND length(d.body) <= k.most ${versions}`,
    },
    types,
    input.workflows.map((workflow) => [workflow, input.most]),
  );
  return found.map((draft) => ({ ...draft, before: JSON.parse(draft.before) }));
}

/**
 * How long a draft version is kept after its last test run began, and at least while it has runs, in
 * milliseconds.
 */
const KEPT_FOR = 86_400_000;

/**
 * Stores the draft's current content as a version below zero for its test runs: it is never live and never
 * listed. Unchanged content keeps its number; versions of this workflow that no run needs any more are
 * deleted.
 */
export function* keepDraftVersion(input: {
  readonly workflow: Workflow;
  readonly hash: string;
  readonly source: string;
  readonly author: string;
  readonly now: number;
}): Operation<{ version: number }> {
  const { workflow, hash, source, author, now } = input;
  const { id } = yield* lockWorkflow(workflow.project, workflow.name, now);
  const known = yield* row<{ version: number }>(
    'SELECT version FROM workflow_version WHERE workflow = ?1 AND version < 0 AND hash = ?2',
    id,
    hash,
  );
  if (known) {
    yield* change(
      'UPDATE workflow_version SET created_at = ?3 WHERE workflow = ?1 AND version = ?2',
      id,
      known.version,
      now,
    );
    return known;
  }
  // An unclaimed command needs the version it names; no command is older than the first.
  const first = yield* row<{ at: number }>('SELECT created_at AS at FROM command ORDER BY seq LIMIT 1');
  yield* change(
    `DELETE FROM workflow_version WHERE workflow = ?1 AND version < 0 AND created_at < ?2 AND NOT EXISTS (
       SELECT 1 FROM run r WHERE r.workflow = ?1 AND r.version = workflow_version.version AND r.version < 0)`,
    id,
    Math.min(now - KEPT_FOR, first?.at ?? now),
  );
  const least = yield* row<{ version: number | null }>(
    'SELECT min(version) AS version FROM workflow_version WHERE workflow = ?1 AND version < 0',
    id,
  );
  const version = (least?.version ?? 0) - 1;
  yield* change(
    `INSERT INTO workflow_version (workflow, version, body, hash, source, note, author, origin, created_at, tags)
     VALUES (?1, ?2, ?3, ?4, ?5, '', ?6, 'draft', ?7, ?8)`,
    id,
    version,
    JSON.stringify(workflow),
    hash,
    source,
    author,
    now,
    JSON.stringify(workflow.tags ?? []),
  );
  return { version };
}

/** Deletes a draft after publishing or on request, if it has not changed since it was seen. */
export function* discardDraft(input: {
  readonly workflow: number;
  readonly revision: number;
  readonly now: number;
}): Operation<boolean> {
  const { workflow, revision, now } = input;
  const gone = yield* change('DELETE FROM draft WHERE workflow = ?1 AND revision = ?2', workflow, revision);
  if (gone > 0) yield* appendEvents(null, [draftEvent(workflow, revision + 1, 'discarded')], now);
  return gone > 0;
}

function draftEvent(workflow: number, revision: number, what: 'saved' | 'discarded'): FeedEvent {
  return { topic: 'draft', subject: workflow, revision, body: JSON.stringify({ what }) };
}
