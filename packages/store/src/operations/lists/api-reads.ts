/**
 * API lists other than runs: waiting commands, workflow versions, schedules. Reads are always by key, never
 * the whole table.
 */
import type { ScheduleSpec } from '@orrery/core/model';
import { type Operation, row, rows, type Value } from '../../operation.ts';
import type { Command } from '../runs/commands.ts';
import { withHolidays } from '../ticks/holidays.ts';

/** An unclaimed command; its run has no row of its own yet. */
export interface QueuedCommand {
  readonly run: number;
  readonly command: Command;
  readonly createdAt: number;
}

/** Waiting commands, newest first; `before` is the last id of the previous page. */
export function* listCommands(input: {
  readonly workflow?: number;
  readonly before?: number;
  readonly limit: number;
}): Operation<QueuedCommand[]> {
  const params: Value[] = [input.before ?? Number.MAX_SAFE_INTEGER, input.limit];
  const filter = input.workflow === undefined ? '' : `AND workflow = ?${params.push(input.workflow)}`;
  const found = yield* rows<{ run: number; body: string; createdAt: number }>(
    `SELECT seq AS run, body, created_at AS "createdAt" FROM command WHERE seq < ?1 ${filter} ORDER BY seq DESC LIMIT ?2`,
    ...params,
  );
  return found.map(({ run, body, createdAt }) => ({ run, command: JSON.parse(body), createdAt }));
}

/** A workflow version in a list. */
export interface VersionRow {
  readonly version: number;
  readonly note: string;
  readonly author: string;
  /** How it was published: `api`, `apply` or `editor`. */
  readonly origin: string;
  readonly createdAt: number;
  /** Number of recent runs of the workflow on this version, and the newest of them. */
  readonly runs: number;
  readonly lastRun: number | null;
}

/** Runs inspected to count those of a version: a workflow may have millions. */
const COUNTED_RUNS = 10_000;

/** The versions of a workflow, newest first; `before` is the last of the previous page. */
export function* listVersions(input: {
  readonly workflow: number;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly VersionRow[]> {
  return yield* rows<VersionRow>(
    `SELECT v.version, v.note, v.author, v.origin, v.created_at AS "createdAt", coalesce(c.runs, 0) AS runs, c.last AS "lastRun"
     FROM workflow_version v
     LEFT JOIN (SELECT version, count(*) AS runs, max(id) AS last FROM (
       SELECT id, version FROM run WHERE workflow = ?1 ORDER BY id DESC LIMIT ?4) r GROUP BY version) c
     ON c.version = v.version
     WHERE v.workflow = ?1 AND v.version > 0 AND v.version < ?2 ORDER BY v.version DESC LIMIT ?3`,
    input.workflow,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
    COUNTED_RUNS,
  );
}

/** The source text of a version, with its author and time. */
export function* readSource(input: { readonly workflow: number; readonly version: number }): Operation<
  | {
      readonly source: string;
      readonly note: string;
      readonly author: string;
      readonly createdAt: number;
      /** The current live version; null once the workflow is deleted. */
      readonly live: number | null;
    }
  | undefined
> {
  return yield* row(
    `SELECT v.source, v.note, v.author, v.created_at AS "createdAt", w.live
     FROM workflow_version v JOIN workflow w ON w.id = v.workflow WHERE v.workflow = ?1 AND v.version = ?2`,
    input.workflow,
    input.version,
  );
}

/** A schedule with its workflow's name. */
export interface NamedSchedule {
  readonly id: number;
  readonly workflow: number;
  readonly project: string;
  readonly workflowName: string;
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly enabled: boolean;
  /** Incremented with every change. */
  readonly version: number;
  readonly firedUntil: number;
  readonly nextDue: number | null;
}

/** Selects `StoredSchedule`s. */
export const namedSchedules = `SELECT s.id, s.workflow, w.project, w.name AS "workflowName", s.name, s.body, s.enabled,
  s.version, s.fired_until AS "firedUntil", s.next_due AS "nextDue" FROM schedule s JOIN workflow w ON w.id = s.workflow`;

/** Schedules by id; `after` is the last id of the previous page. */
export function* pageSchedules(input: {
  readonly project?: string;
  readonly workflow?: number;
  readonly enabled?: boolean;
  readonly after?: number;
  readonly limit: number;
}): Operation<NamedSchedule[]> {
  const { project, workflow, enabled } = input;
  const params: Value[] = [input.after ?? 0, input.limit];
  const filters: string[] = [];
  if (project !== undefined) filters.push(`AND w.project = ?${params.push(project)}`);
  if (workflow !== undefined) filters.push(`AND s.workflow = ?${params.push(workflow)}`);
  if (enabled !== undefined) filters.push(`AND s.enabled = ?${params.push(Number(enabled))}`);
  const found = yield* rows<StoredSchedule>(
    `${namedSchedules} WHERE s.id > ?1 ${filters.join(' ')} ORDER BY s.id LIMIT ?2`,
    ...params,
  );
  return yield* withHolidays(found.map(readNamed));
}

/** One schedule. */
export function* readSchedule({ id }: { readonly id: number }): Operation<NamedSchedule | undefined> {
  const found = yield* row<StoredSchedule>(`${namedSchedules} WHERE s.id = ?1`, id);
  return found && (yield* withHolidays([readNamed(found)]))[0];
}

/** A schedule as `namedSchedules` reads it. */
export type StoredSchedule = Omit<NamedSchedule, 'spec' | 'enabled'> & { body: string; enabled: number };

/** Parses the JSON of a stored schedule. */
export function readNamed({ body, enabled, ...rest }: StoredSchedule): NamedSchedule {
  return { ...rest, spec: JSON.parse(body), enabled: enabled === 1 };
}
