/** Workflows in lists: by name and page, with all data of a page read at once. */
import { batch, type Operation, rows, type Value } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { type NamedSchedule, namedSchedules, readNamed, type StoredSchedule } from '../lists/api-reads.ts';
import { withHolidays } from '../ticks/holidays.ts';

/** A workflow in a list; `live` and `publishedAt` are null if it has only a draft. */
export interface ListedWorkflow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly live: number | null;
  /** Since when nothing may start it; null while it is online. */
  readonly offlineSince: number | null;
  readonly createdAt: number;
  readonly publishedAt: number | null;
  readonly draftRevision: number | null;
  readonly draftBase: number | null;
  readonly draftAuthor: string | null;
  readonly draftSavedAt: number | null;
  /** Who published the live version. */
  readonly author: string | null;
  /** JSON: the tags of the live version. */
  readonly tags: string | null;
  /** The module that the live version was generated from. */
  readonly module: string | null;
}

/** Filter of workflows; all given parts must match. */
export interface WorkflowFilter {
  readonly project?: string;
  /** Only these. */
  readonly names?: readonly { readonly project: string; readonly name: string }[];
  /** Each must occur in `project/name`, with other letters allowed between its own. */
  readonly words?: readonly string[];
  /** All of them. */
  readonly tags?: readonly string[];
  /** Who published the live version; without one, the draft's author. */
  readonly owner?: string;
  /** States of the last run; `queued` means that no master has claimed it. */
  readonly states?: readonly string[];
  /**
   * `on`: a schedule is enabled; `paused`: there are schedules and none is enabled; `none`: there are none.
   */
  readonly schedule?: 'on' | 'paused' | 'none';
}

/**
 * Workflows that are live or have a draft, by project and name; `after` is the last of the previous page.
 * Every part of a filter is one index look-up per workflow, so the cost of a page is bounded by the number of
 * workflows.
 */
export function* pageWorkflows(
  input: WorkflowFilter & {
    readonly after?: { readonly project: string; readonly name: string };
    readonly limit: number;
  },
): Operation<readonly ListedWorkflow[]> {
  const { after, limit } = input;
  const params: Value[] = [limit];
  const add = (value: Value) => `?${params.push(value)}`;
  const conditions = [
    'w.deleted_at IS NULL',
    '(w.live IS NOT NULL OR d.workflow IS NOT NULL)',
    ...conditionsOf(input, add),
  ];
  if (after) conditions.push(`(w.project, w.name) > (${add(after.project)}, ${add(after.name)})`);
  return yield* rows<ListedWorkflow>(
    `SELECT w.id, w.project, w.name, w.live, w.offline_since AS "offlineSince", w.created_at AS "createdAt", v.created_at AS "publishedAt",
       d.revision AS "draftRevision", d.base AS "draftBase", d.author AS "draftAuthor", d.saved_at AS "draftSavedAt",
       v.author, v.tags, v.module
     FROM workflow w
     LEFT JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live
     LEFT JOIN draft d ON d.workflow = w.id
     WHERE ${conditions.join(' AND ')} ORDER BY w.project, w.name LIMIT ?1`,
    ...params,
  );
}

function conditionsOf(filter: WorkflowFilter, add: (value: Value) => string): string[] {
  const { project, names, words = [], tags = [], owner, states, schedule } = filter;
  const conditions: string[] = [];
  if (project !== undefined) conditions.push(`w.project = ${add(project)}`);
  if (names)
    conditions.push(
      names.length === 0
        ? '1 = 0'
        : `(${names.map((each) => `(w.project = ${add(each.project)} AND w.name = ${add(each.name)})`).join(' OR ')})`,
    );
  const name = `w.project || '/' || w.name`;
  for (const word of words)
    conditions.push(
      // Also case-sensitively: SQLite lowercases only ASCII.
      `(lower(${name}) LIKE ${add(lettersOf(word.toLowerCase()))} ESCAPE '!' OR ${name} LIKE ${add(lettersOf(word))} ESCAPE '!')`,
    );
  // Removing a JSON-quoted tag changes the list only if the list contains it.
  for (const tag of tags) conditions.push(`replace(v.tags, ${add(JSON.stringify(tag))}, '') <> v.tags`);
  if (owner !== undefined) conditions.push(`coalesce(v.author, d.author) = ${add(owner)}`);
  if (states) conditions.push(lastRunIn(states, add));
  if (schedule) conditions.push(scheduleIs[schedule]);
  return conditions;
}

const someSchedule = 'EXISTS (SELECT 1 FROM schedule s WHERE s.workflow = w.id)';
const someOn = 'EXISTS (SELECT 1 FROM schedule s WHERE s.workflow = w.id AND s.enabled = 1)';
const scheduleIs = {
  on: someOn,
  paused: `${someSchedule} AND NOT ${someOn}`,
  none: `NOT ${someSchedule}`,
} as const;

function lastRunIn(states: readonly string[], add: (value: Value) => string): string {
  // Among the first waiting commands: the queue may be long, and has no index by workflow.
  const queued = 'w.id IN (SELECT q.workflow FROM (SELECT workflow FROM command ORDER BY seq LIMIT 10000) q)';
  const claimed = states.filter((state) => state !== 'queued');
  const last = `(SELECT r.state FROM run r WHERE r.workflow = w.id AND r.kind = 'normal' ORDER BY r.id DESC LIMIT 1)`;
  const among = claimed.length === 0 ? '1 = 0' : `${last} IN (${claimed.map(add).join(', ')})`;
  // An unclaimed run is newer than every claimed one.
  return states.includes('queued') ? `(${queued} OR ${among})` : `(NOT ${queued} AND ${among})`;
}

/** `ab` as a pattern: anything, a, anything, b, anything. */
function lettersOf(word: string): string {
  const letters = [...word].map((letter) => (/[%_!]/.test(letter) ? `!${letter}` : letter));
  return `%${letters.join('%')}%`;
}

/** A run in the strip of its workflow. */
export interface StripRun {
  readonly workflow: number;
  readonly id: number;
  readonly version: number;
  readonly state: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds between its rounds. */
  readonly idle: number;
  /** 0 if it does not count for statistics. */
  readonly counted: number;
}

/** The last runs of each of several workflows, newest first within each. */
export function* readStrips(input: {
  readonly workflows: readonly number[];
  readonly limit: number;
}): Operation<readonly StripRun[]> {
  const columns =
    'workflow, id, version, state, started_at AS "startedAt", ended_at AS "endedAt", idle, counts AS counted';
  const { rows } = yield* batch<StripRun>(
    {
      sqlite: `SELECT ${columns} FROM run WHERE workflow = ?1 AND kind = 'normal' ORDER BY id DESC LIMIT ?2`,
      postgres: `SELECT r.* FROM ${unnest(['int', 'int'])} AS k(wanted, most) CROSS JOIN LATERAL (
        SELECT ${columns} FROM run WHERE workflow = k.wanted AND kind = 'normal' ORDER BY id DESC LIMIT k.most) r`,
    },
    ['int', 'int'],
    input.workflows.map((workflow) => [workflow, input.limit]),
  );
  return rows;
}

/** The first schedules of each of several workflows, by name within each. */
export function* readScheduleHeads(input: {
  readonly workflows: readonly number[];
  readonly limit: number;
}): Operation<NamedSchedule[]> {
  const { rows } = yield* batch<StoredSchedule>(
    {
      sqlite: `${namedSchedules} WHERE s.workflow = ?1 ORDER BY s.name LIMIT ?2`,
      postgres: `SELECT r.* FROM ${unnest(['int', 'int'])} AS k(wanted, most) CROSS JOIN LATERAL (
        ${namedSchedules} WHERE s.workflow = k.wanted ORDER BY s.name LIMIT k.most) r`,
    },
    ['int', 'int'],
    input.workflows.map((workflow) => [workflow, input.limit]),
  );
  return yield* withHolidays(rows.map(readNamed));
}
