/** Workflows as lists show them: by name and page, with what each needs read for the whole page at once. */
import { batch, type Operation, rows, type Value } from '../operation.ts';
import { unnest } from '../table.ts';
import { type NamedSchedule, namedSchedules, readNamed, type StoredSchedule } from './api-reads.ts';

/** A workflow in a list; `live` and `publishedAt` are null while there is only a draft. */
export interface ListedWorkflow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly live: number | null;
  readonly createdAt: number;
  readonly publishedAt: number | null;
  readonly draftRevision: number | null;
  readonly draftBase: number | null;
  readonly draftAuthor: string | null;
  readonly draftSavedAt: number | null;
}

/**
 * Workflows that are live or have a draft, by project and name; `after` is the last of the page before. Each word of
 * `words` must occur in `project/name`, perhaps with other letters between its own.
 */
export function* pageWorkflows(input: {
  readonly project?: string;
  readonly words?: readonly string[];
  readonly after?: { readonly project: string; readonly name: string };
  readonly limit: number;
}): Operation<readonly ListedWorkflow[]> {
  const { project, words = [], after, limit } = input;
  const params: Value[] = [limit];
  const add = (value: Value) => `?${params.push(value)}`;
  const conditions = ['w.deleted_at IS NULL', '(w.live IS NOT NULL OR d.workflow IS NOT NULL)'];
  if (project !== undefined) conditions.push(`w.project = ${add(project)}`);
  if (after) conditions.push(`(w.project, w.name) > (${add(after.project)}, ${add(after.name)})`);
  const name = `w.project || '/' || w.name`;
  for (const word of words)
    conditions.push(
      // As it is too: SQLite knows small letters of ASCII alone.
      `(lower(${name}) LIKE ${add(lettersOf(word.toLowerCase()))} ESCAPE '!' OR ${name} LIKE ${add(lettersOf(word))} ESCAPE '!')`,
    );
  return yield* rows<ListedWorkflow>(
    `SELECT w.id, w.project, w.name, w.live, w.created_at AS "createdAt", v.created_at AS "publishedAt",
       d.revision AS "draftRevision", d.base AS "draftBase", d.author AS "draftAuthor", d.saved_at AS "draftSavedAt"
     FROM workflow w
     LEFT JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live
     LEFT JOIN draft d ON d.workflow = w.id
     WHERE ${conditions.join(' AND ')} ORDER BY w.project, w.name LIMIT ?1`,
    ...params,
  );
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
}

/** The last runs of each of several workflows, newest first within each. */
export function* readStrips(input: {
  readonly workflows: readonly number[];
  readonly limit: number;
}): Operation<readonly StripRun[]> {
  const columns = 'workflow, id, version, state, started_at AS "startedAt", ended_at AS "endedAt"';
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
  return rows.map(readNamed);
}
