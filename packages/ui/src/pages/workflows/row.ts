/** A workflow in the list. */
import type { AnswerOf } from '../../data/client.ts';

export type Row = AnswerOf<'listWorkflows'>['workflows'][number];

/** Its full name, by which the list and the address know it. */
export function nameOf({ project, name }: Pick<Row, 'project' | 'name'>): string {
  return `${project}/${name}`;
}
