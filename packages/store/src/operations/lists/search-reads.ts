/** Finds things by parts of their names, for the global search and for filters. */
import { limitOfGroup } from '@orrery/core/admit';
import { type Operation, rows, together, type Value } from '../../operation.ts';
import { groupOfLimit } from '../limits/task-groups.ts';

type FoundWorkflow = { readonly id: number; readonly project: string; readonly name: string };

/** Search results, best first within each kind. */
export interface Found {
  readonly workflows: readonly FoundWorkflow[];
  readonly schedules: readonly {
    readonly id: number;
    readonly project: string;
    readonly workflow: string;
    readonly name: string;
    /** 1, or 0 while it is paused. */
    readonly enabled: number;
  }[];
  readonly nodes: readonly { readonly id: string; readonly address: string }[];
  readonly workers: readonly { readonly id: string; readonly address: string }[];
  readonly taskGroups: readonly { readonly project: string; readonly name: string }[];
  readonly workerGroups: readonly string[];
}

interface Sought {
  readonly text: string;
  readonly project?: string;
  readonly limit: number;
}

/** Shorter words are not matched as scattered letters: they would match nearly everything. */
const LEAST_LETTERS = 3;
const MOST_WORDS = 5;
/** Queued attempts whose groups are inspected: groups that nobody serves are among the oldest. */
const MOST_LOOKED_AT = 1_000;

/** Published workflows whose full name contains a text, those that begin with it first. */
export function findWorkflows({ text, project, limit }: Sought): Operation<readonly FoundWorkflow[]> {
  const { best, contains } = patterns(text);
  const params: Value[] = [contains, best, limit];
  const only = project === undefined ? '' : `AND w.project = ?${params.push(project)}`;
  return rows(
    `SELECT w.id, w.project, w.name FROM workflow w WHERE w.deleted_at IS NULL AND w.live IS NOT NULL
       AND lower(w.project || '/' || w.name) LIKE ?1 ESCAPE '!' ${only}
     ORDER BY CASE WHEN lower(w.name) LIKE ?2 ESCAPE '!' THEN 0 ELSE 1 END, w.name, w.project LIMIT ?3`,
    ...params,
  );
}

/**
 * Finds things by name. First come names that begin with the text, then names that contain it, then names
 * with its words in any order, or with the letters of a single word in sequence. Workflows that have only a
 * draft are included.
 */
export function* findByName({ text, project, limit }: Sought): Operation<Found> {
  const { best, contains, words } = patterns(text);
  const params: Value[] = [contains, best, limit, ...words];
  const all = (name: string) => words.map((_, k) => `lower(${name}) LIKE ?${k + 4} ESCAPE '!'`).join(' AND ');
  const named = (...names: readonly string[]) =>
    `(${names.map((name) => `lower(${name}) LIKE ?1 ESCAPE '!' OR (${all(name)})`).join(' OR ')})`;
  const order = (name: string) =>
    `CASE WHEN lower(${name}) LIKE ?2 ESCAPE '!' THEN 0 WHEN lower(${name}) LIKE ?1 ESCAPE '!' THEN 1 ELSE 2 END, ${name}`;
  const inProject = project === undefined ? params : [...params, project];
  const only = project === undefined ? '' : `AND w.project = ?${inProject.length}`;
  const machines = (table: 'node' | 'worker') =>
    rows<{ id: string; address: string }>(
      `SELECT id, address FROM ${table} WHERE ${named('id', 'address')} ORDER BY ${order('id')} LIMIT ?3`,
      ...params,
    );
  const anyGroup = limitOfGroup('', '').replace('/', '');
  const group = `substr(l.name, ${anyGroup.length + 1})`;
  const first = project === undefined ? anyGroup : limitOfGroup(project, '');
  const [workflows, schedules, nodes, workers, limits, served, wanted] = yield* together<
    [
      Found['workflows'],
      Found['schedules'],
      Found['nodes'],
      Found['workers'],
      readonly { name: string }[],
      readonly { groups: string }[],
      readonly { name: string }[],
    ]
  >(
    rows(
      `SELECT w.id, w.project, w.name FROM workflow w WHERE w.deleted_at IS NULL
         AND ${named("w.project || '/' || w.name")} ${only} ORDER BY ${order('w.name')}, w.project LIMIT ?3`,
      ...inProject,
    ),
    rows(
      `SELECT s.id, w.project, w.name AS workflow, s.name, s.enabled FROM schedule s JOIN workflow w ON w.id = s.workflow
       WHERE ${named('s.name')} ${only} ORDER BY ${order('s.name')}, s.id LIMIT ?3`,
      ...inProject,
    ),
    machines('node'),
    machines('worker'),
    rows(
      `SELECT name FROM limit_size l WHERE l.name >= ?${params.length + 1} AND l.name < ?${params.length + 2}
         AND ${named(group)} ORDER BY ${order(group)} LIMIT ?3`,
      ...params,
      first,
      `${first}\u{10FFFF}`,
    ),
    rows('SELECT DISTINCT groups FROM worker'),
    rows(
      `SELECT DISTINCT worker_group AS name FROM (SELECT worker_group FROM ready LIMIT ${MOST_LOOKED_AT}) looked`,
    ),
  );
  const workerGroups = new Set([
    ...served.flatMap(({ groups: list }) => JSON.parse(list) as string[]),
    ...wanted.map(({ name }) => name),
  ]);
  return {
    workflows,
    schedules,
    nodes,
    workers,
    taskGroups: limits.map(({ name }) => groupOfLimit(name)),
    workerGroups: [...workerGroups]
      .filter((name) => alike(name, text))
      .sort()
      .slice(0, limit),
  };
}

/** LIKE patterns of a text: for a name that begins with it, contains it, or has each of its parts. */
function patterns(text: string) {
  const escaped = (part: string) => part.replace(/[%_!]/g, '!$&');
  const lower = text.toLowerCase();
  const contains = `%${escaped(lower)}%`;
  return { best: `${escaped(lower)}%`, contains, words: looseParts(lower)?.map(spread) ?? [contains] };

  function spread(letters: readonly string[]): string {
    return `%${letters.map(escaped).join('%')}%`;
  }
}

/**
 * Parts that a similar name must contain: the words of a text, or the letters of its only word; else the
 * whole text.
 */
function looseParts(lower: string): readonly (readonly string[])[] | undefined {
  const words = lower.split(/\s+/).filter((word) => word !== '');
  if (words.length > 1) return words.slice(0, MOST_WORDS).map((word) => [word]);
  const letters = Array.from(words[0] ?? '');
  return letters.length >= LEAST_LETTERS ? [letters] : undefined;
}

/** The same match, for names that are not in a column of their own. */
function alike(name: string, text: string): boolean {
  const [lower, sought] = [name.toLowerCase(), text.toLowerCase()];
  if (lower.includes(sought)) return true;
  return looseParts(sought)?.every((parts) => inOrder(lower, parts)) ?? false;
}

function inOrder(name: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
