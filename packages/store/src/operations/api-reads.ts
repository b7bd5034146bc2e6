/** What the API lists beyond runs: waiting commands, versions of workflows, schedules; always by key, never the whole. */
import type { ScheduleSpec } from '@orrery/core/model';
import { type Operation, row, rows, type Value } from '../operation.ts';
import type { Command } from './commands.ts';

/** A command that waits to be claimed; its run has no row of its own yet. */
export interface QueuedCommand {
  readonly run: number;
  readonly command: Command;
  readonly createdAt: number;
}

/** Commands that wait, newest first; `before` is the last id of the page before. */
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

/** A version of a workflow in a list. */
export interface VersionRow {
  readonly version: number;
  readonly note: string;
  readonly author: string;
  readonly createdAt: number;
}

/** The versions of a workflow, newest first; `before` is the last one of the page before. */
export function* listVersions(input: {
  readonly workflow: number;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly VersionRow[]> {
  return yield* rows<VersionRow>(
    `SELECT version, note, author, created_at AS "createdAt" FROM workflow_version
     WHERE workflow = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3`,
    input.workflow,
    input.before ?? Number.MAX_SAFE_INTEGER,
    input.limit,
  );
}

/** The text that a version was published from. */
export function* readSource(input: {
  readonly workflow: number;
  readonly version: number;
}): Operation<{ readonly source: string } | undefined> {
  return yield* row(
    'SELECT source FROM workflow_version WHERE workflow = ?1 AND version = ?2',
    input.workflow,
    input.version,
  );
}

/** A schedule with the name of its workflow. */
export interface NamedSchedule {
  readonly id: number;
  readonly workflow: number;
  readonly project: string;
  readonly workflowName: string;
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly enabled: boolean;
  readonly firedUntil: number;
  readonly nextDue: number | null;
}

const namedSchedules = `SELECT s.id, s.workflow, w.project, w.name AS "workflowName", s.name, s.body, s.enabled,
  s.fired_until AS "firedUntil", s.next_due AS "nextDue" FROM schedule s JOIN workflow w ON w.id = s.workflow`;

/** Schedules in the order of their ids; `after` is the last id of the page before. */
export function* pageSchedules(input: {
  readonly workflow?: number;
  readonly after?: number;
  readonly limit: number;
}): Operation<NamedSchedule[]> {
  const params: Value[] = [input.after ?? 0, input.limit];
  const filter = input.workflow === undefined ? '' : `AND s.workflow = ?${params.push(input.workflow)}`;
  const found = yield* rows<StoredSchedule>(
    `${namedSchedules} WHERE s.id > ?1 ${filter} ORDER BY s.id LIMIT ?2`,
    ...params,
  );
  return found.map(readNamed);
}

/** One schedule. */
export function* readSchedule({ id }: { readonly id: number }): Operation<NamedSchedule | undefined> {
  const found = yield* row<StoredSchedule>(`${namedSchedules} WHERE s.id = ?1`, id);
  return found && readNamed(found);
}

type StoredSchedule = Omit<NamedSchedule, 'spec' | 'enabled'> & { body: string; enabled: number };

function readNamed({ body, enabled, ...rest }: StoredSchedule): NamedSchedule {
  return { ...rest, spec: JSON.parse(body), enabled: enabled === 1 };
}
