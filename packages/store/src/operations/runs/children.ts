/** Children of a run: claimed runs, and unclaimed commands. */
import { type Operation, rows } from '../../operation.ts';

/** A child run by the name its parent gave it; its inbox accepts messages before it starts. */
export interface Child {
  readonly run: number;
  readonly round: number;
  readonly element: number;
}

/** Children started by one task run. */
export function* findChildren(input: {
  readonly parent: number;
  readonly task: number;
  /** Only those with this number. */
  readonly element?: number;
}): Operation<readonly Child[]> {
  const { parent, task, element } = input;
  const only = element === undefined ? [] : [element];
  const claimed = yield* rows<Child>(
    `SELECT id AS run, parent_round AS round, parent_element AS element FROM run WHERE parent = ?1 AND parent_task = ?2
     ${element === undefined ? '' : 'AND parent_element = ?3'}`,
    parent,
    task,
    ...only,
  );
  const waiting = yield* rows<Child>(
    `SELECT seq AS run, parent_round AS round, parent_element AS element FROM command WHERE parent = ?1 AND parent_task = ?2
     ${element === undefined ? '' : 'AND parent_element = ?3'}`,
    parent,
    task,
    ...only,
  );
  return [...claimed, ...waiting];
}
