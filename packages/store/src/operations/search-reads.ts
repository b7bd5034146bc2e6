/** Things by a part of their names, for a search over everything. */
import { type Operation, rows, together, type Value } from '../operation.ts';

/** What was found, each kind with its best first. */
export interface Found {
  readonly workflows: readonly { readonly id: number; readonly project: string; readonly name: string }[];
  readonly schedules: readonly {
    readonly id: number;
    readonly project: string;
    readonly workflow: string;
    readonly name: string;
  }[];
  readonly nodes: readonly { readonly id: string; readonly address: string }[];
  readonly workers: readonly { readonly id: string; readonly address: string }[];
}

/** Finds things whose name contains a text, those that begin with it first. */
export function* findByName(input: {
  readonly text: string;
  readonly project?: string;
  readonly limit: number;
}): Operation<Found> {
  const { project, limit } = input;
  const text = input.text.toLowerCase().replace(/[%_!]/g, '!$&');
  const params: Value[] = [`%${text}%`, `${text}%`, limit];
  const only = project === undefined ? '' : `AND w.project = ?${params.push(project)}`;
  const named = (name: string) => `lower(${name}) LIKE ?1 ESCAPE '!'`;
  const best = (name: string) => `CASE WHEN lower(${name}) LIKE ?2 ESCAPE '!' THEN 0 ELSE 1 END, ${name}`;
  const machines = (table: 'node' | 'worker') =>
    rows<{ id: string; address: string }>(
      `SELECT id, address FROM ${table} WHERE ${named('id')} OR ${named('address')} ORDER BY ${best('id')} LIMIT ?3`,
      ...params.slice(0, 3),
    );
  const [workflows, schedules, nodes, workers] = yield* together<
    [Found['workflows'], Found['schedules'], Found['nodes'], Found['workers']]
  >(
    rows(
      `SELECT w.id, w.project, w.name FROM workflow w WHERE w.deleted_at IS NULL AND w.live IS NOT NULL
         AND ${named("w.project || '/' || w.name")} ${only} ORDER BY ${best('w.name')}, w.project LIMIT ?3`,
      ...params,
    ),
    rows(
      `SELECT s.id, w.project, w.name AS workflow, s.name FROM schedule s JOIN workflow w ON w.id = s.workflow
       WHERE ${named('s.name')} ${only} ORDER BY ${best('s.name')}, s.id LIMIT ?3`,
      ...params,
    ),
    machines('node'),
    machines('worker'),
  );
  return { workflows, schedules, nodes, workers };
}
