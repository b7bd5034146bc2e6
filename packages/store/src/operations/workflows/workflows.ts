/** Workflows: publishing creates a new immutable version; schedules follow the published version. */

import type { ScheduleSpec, Workflow } from '@orrery/core/model';
import { timingOf } from '@orrery/core/model/timing';
import { said } from '@orrery/core/texts';
import { nextTick } from '@orrery/core/time';
import { Conflict } from '../../errors.ts';
import { batch, change, type Operation, row, rows, type Value } from '../../operation.ts';
import { readJson } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { alignHolding } from '../cluster/holdings.ts';
import { refuseCallsOf } from '../runs/calls.ts';
import { alignDeadline } from '../runs/deadlines.ts';
import { appendEvents, type FeedEvent } from '../runs/feed.ts';
import { newNumbers } from '../runs/numbers.ts';
import { alignMarks } from '../runs/triggers.ts';
import { refuseUnknownCalendars, withHolidays } from '../ticks/holidays.ts';
import { forgetEdits, recordEdit } from '../ticks/schedule-edits.ts';
import { advanceTo, scheduleEvent } from '../ticks/schedules.ts';
import { withStoreTime } from '../ticks/store-time.ts';
import { publishAlone, refuseCycle } from './start-cycles.ts';
import { refuseBound } from './worker-groups.ts';
import { recordUses } from './workflow-uses.ts';

/** A published version with its ids. */
export interface WorkflowVersion {
  readonly id: number;
  readonly version: number;
  readonly workflow: Workflow;
  /** Since when nothing may start it; undefined while it is online. */
  readonly offlineSince?: number;
}

/** A workflow in a list. */
export interface WorkflowRow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: number;
}

/** Input of a new version. */
export interface NewVersion {
  readonly workflow: Workflow;
  readonly hash: string;
  readonly source: string;
  readonly note: string;
  readonly author: string;
  /** How it was published, for the list of versions. */
  readonly origin?: 'api' | 'apply' | 'editor';
  /** The module it was generated from, if its text is not its source. */
  readonly module?: string;
  /** Required live version; null: none must be live. */
  readonly base?: number | null;
  /** Workflows published with it, before or after: checks use their new versions. */
  readonly beside?: readonly Workflow[];
  /**
   * Next due time of each schedule; those with a calendar are computed in this transaction, where it cannot
   * change.
   */
  readonly due: Readonly<Record<string, number | null>>;
  readonly now: number;
}

/** Result of publishing a version. */
interface PublishedVersion {
  readonly id: number;
  readonly version: number;
  readonly changed: boolean;
}

/** Publishes the workflows of a file, or none if one is refused. */
export function* publishWorkflows({
  versions,
}: {
  readonly versions: readonly NewVersion[];
}): Operation<PublishedVersion[]> {
  const published: PublishedVersion[] = [];
  for (const version of versions) published.push(yield* publishWorkflow(version));
  return published;
}

/** Publishes a workflow; unchanged content changes nothing. */
export function* publishWorkflow(input: NewVersion): Operation<PublishedVersion> {
  const { workflow, hash, source, note, author, origin = 'api', module, base, beside = [], due, now } = input;
  yield* publishAlone();
  const { id, live } = yield* lockWorkflow(workflow.project, workflow.name, now);
  if (base !== undefined && base !== live)
    throw new Conflict(said('changed.published', { workflow: `${workflow.project}/${workflow.name}` }));
  if (live !== null) {
    const current = yield* row<{ hash: string }>(
      'SELECT hash FROM workflow_version WHERE workflow = ?1 AND version = ?2',
      id,
      live,
    );
    if (current?.hash === hash) return { id, version: live, changed: false };
  }
  const newest = yield* row<{ version: number | null }>(
    'SELECT max(version) AS version FROM workflow_version WHERE workflow = ?1 AND version > 0',
    id,
  );
  const version = (newest?.version ?? 0) + 1;
  yield* change(
    `INSERT INTO workflow_version (workflow, version, body, hash, source, note, author, origin, created_at, tags, module)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
    id,
    version,
    JSON.stringify(workflow),
    hash,
    source,
    note,
    author,
    origin,
    now,
    JSON.stringify(workflow.tags ?? []),
    module ?? null,
  );
  yield* change('UPDATE workflow SET live = ?2, deleted_at = NULL WHERE id = ?1', id, version);
  yield* refuseCycle(workflow, beside);
  yield* refuseCallsOf(workflow, beside);
  yield* refuseBound(workflow);
  yield* recordUses(id, workflow);
  yield* alignMarks(id, workflow);
  yield* alignDeadline(id, workflow, now);
  const { project, name, schedules } = workflow;
  yield* refuseUnknownCalendars(project, schedules);
  const aligned = yield* alignSchedules(
    id,
    schedules,
    { ...due, ...(yield* holidayDue(workflow, now)) },
    now,
  );
  const body = JSON.stringify({ project, name });
  yield* appendEvents(null, [{ topic: 'workflow', subject: id, revision: version, body }, ...aligned], now);
  yield* audit(
    author,
    'workflow.publish',
    `${project}/${name}`,
    { before: live, after: version, note, origin },
    now,
  );
  return { id, version, changed: true };
}

/**
 * One version of a workflow; without a number, the live one. By id also that of a deleted workflow: its runs
 * continue.
 */
export function* readWorkflow(input: {
  readonly project?: string;
  readonly name?: string;
  readonly id?: number;
  readonly version?: number;
}): Operation<WorkflowVersion | undefined> {
  const params: Value[] = input.id === undefined ? [input.project ?? '', input.name ?? ''] : [input.id];
  const named =
    input.id === undefined ? 'w.project = ?1 AND w.name = ?2 AND w.deleted_at IS NULL' : 'w.id = ?1';
  const version = input.version === undefined ? 'w.live' : `?${params.push(input.version)}`;
  const found = yield* row<{ id: number; version: number; body: string; offline: number | null }>(
    `SELECT w.id, v.version, v.body, w.offline_since AS offline FROM workflow w
     JOIN workflow_version v ON v.workflow = w.id AND v.version = ${version}
     WHERE ${named}`,
    ...params,
  );
  return (
    found && {
      id: found.id,
      version: found.version,
      workflow: readJson(found.body, `version ${found.version} of workflow ${found.id}`),
      ...(found.offline !== null && { offlineSince: found.offline }),
    }
  );
}

/** The parts of a version needed to start it. */
export type StartingWorkflow = Pick<
  Workflow,
  | 'project'
  | 'name'
  | 'onFailure'
  | 'priority'
  | 'timezone'
  | 'tags'
  | 'tenant'
  | 'mode'
  | 'limit'
  | 'onePerPeriod'
  | 'onNoRoom'
>;

/**
 * The live version of each workflow, with the parts needed to start it; an unreadable one has a reason
 * instead.
 */
export function* liveVersions({ ids }: { readonly ids: readonly number[] }): Operation<
  {
    readonly id: number;
    readonly version: number;
    readonly workflow: StartingWorkflow | undefined;
    readonly bad: string | undefined;
  }[]
> {
  const from = 'SELECT w.id, v.version, v.body';
  const version = 'JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live';
  const { rows: found } = yield* batch<{ id: number; version: number; body: string }>(
    {
      sqlite: `${from} FROM workflow w ${version} WHERE w.id = ?1`,
      postgres: `${from} FROM unnest(?1::int8[]) AS k(id) JOIN workflow w ON w.id = k.id ${version}`,
    },
    ['int'],
    ids.map((id) => [id]),
  );
  return found.map(({ id, version, body }) => {
    try {
      const read = readJson<Workflow>(body, `version ${version} of workflow ${id}`);
      const { project, name, onFailure, priority, timezone, tags, tenant, mode, limit, onePerPeriod } = read;
      const about = { project, name, onFailure, priority, timezone, tags };
      const workflow = { ...about, tenant, mode, limit, onePerPeriod, onNoRoom: read.onNoRoom };
      return { id, version, workflow, bad: undefined };
    } catch (error) {
      return { id, version, workflow: undefined, bad: (error as Error).message };
    }
  });
}

/** Workflows that have a live version, by name. */
export function* listWorkflows({
  project,
}: {
  readonly project?: string;
}): Operation<readonly WorkflowRow[]> {
  return yield* rows<WorkflowRow>(
    `SELECT id, project, name, live AS version, created_at AS "createdAt" FROM workflow
     WHERE deleted_at IS NULL AND live IS NOT NULL ${project === undefined ? '' : 'AND project = ?1'} ORDER BY project, name`,
    ...(project === undefined ? [] : [project]),
  );
}

/**
 * The workflow of a name, locked against other publications; created with its project if it does not exist.
 */
export function* lockWorkflow(
  project: string,
  name: string,
  now: number,
): Operation<{ readonly id: number; readonly live: number | null }> {
  const find = () =>
    row<{ id: number; live: number | null }>(
      {
        sqlite: 'SELECT id, live FROM workflow WHERE project = ?1 AND name = ?2',
        postgres: 'SELECT id, live FROM workflow WHERE project = ?1 AND name = ?2 FOR UPDATE',
      },
      project,
      name,
    );
  const known = yield* find();
  if (known) return known;
  const [id] = yield* newNumbers(1);
  yield* change(
    `INSERT INTO project (name, params, revision, created_at) VALUES (?1, '{}', 0, ?2) ON CONFLICT DO NOTHING`,
    project,
    now,
  );
  yield* change(
    `INSERT INTO workflow (id, project, name, live, created_at) VALUES (?1, ?2, ?3, NULL, ?4) ON CONFLICT DO NOTHING`,
    id,
    project,
    name,
    now,
  );
  return (yield* find()) ?? { id, live: null };
}

/**
 * Adds, changes and removes schedules, and returns which; an unchanged schedule continues without missing a
 * tick.
 */
export function* alignSchedules(
  workflow: number,
  specs: readonly ScheduleSpec[],
  due: Readonly<Record<string, number | null>>,
  now: number,
): Operation<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const stored = yield* rows<{ id: number; name: string; body: string; version: number; enabled: number }>(
    'SELECT id, name, body, version, enabled FROM schedule WHERE workflow = ?1',
    workflow,
  );
  for (const { id, name, version } of stored) {
    if (specs.some((spec) => spec.name === name)) continue;
    yield* change('DELETE FROM schedule WHERE id = ?1', id);
    yield* forgetEdits(id);
    yield* alignHolding(id, false, now);
    events.push(scheduleEvent({ id, workflow, version: version + 1 }, 'removed'));
  }
  for (const spec of specs) {
    const body = JSON.stringify(spec);
    const before = stored.find(({ name }) => name === spec.name);
    if (before?.body === body) continue;
    const enabled = spec.enabled ?? (before ? setByHand(before) : undefined) ?? true;
    const nextDue = enabled ? (due[spec.name] ?? null) : null;
    if (before) {
      yield* recordEdit(before.id);
      yield* change(
        withStoreTime(`UPDATE schedule SET body = ?2, enabled = ?3, version = version + 1, next_due = ?5,
           ${advanceTo('?4')} WHERE id = ?1`),
        before.id,
        body,
        Number(enabled),
        now,
        nextDue,
      );
      yield* alignHolding(before.id, enabled, now);
      events.push(scheduleEvent({ id: before.id, workflow, version: before.version + 1 }, 'set'));
    } else {
      const [id] = yield* newNumbers(1);
      yield* recordEdit(id);
      yield* change(
        withStoreTime(`INSERT INTO schedule (id, workflow, name, body, enabled, version, fired_until, next_due)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, CASE WHEN ?6 > {storeTime} THEN {storeTime} ELSE ?6 END, ?7)`),
        id,
        workflow,
        spec.name,
        body,
        Number(enabled),
        now,
        nextDue,
      );
      if (enabled) yield* alignHolding(id, true, now);
      events.push(scheduleEvent({ id, workflow, version: 1 }, 'set'));
    }
  }
  return events;
}

/** Next due times of schedules that have a calendar. */
function* holidayDue(
  { project, schedules }: Workflow,
  now: number,
): Operation<Readonly<Record<string, number | null>>> {
  const named = schedules.filter(({ calendar }) => calendar !== undefined);
  const found = yield* withHolidays(named.map((spec) => ({ project, spec })));
  return Object.fromEntries(found.map(({ spec }) => [spec.name, nextTick(timingOf(spec), now) ?? null]));
}

/**
 * Whether a schedule is enabled if somebody paused or resumed it since its file was published; otherwise
 * undefined.
 */
function setByHand(schedule: { readonly body: string; readonly enabled: number }): boolean | undefined {
  const { enabled: said = true } = JSON.parse(schedule.body) as ScheduleSpec;
  const enabled = schedule.enabled === 1;
  return enabled === said ? undefined : enabled;
}
