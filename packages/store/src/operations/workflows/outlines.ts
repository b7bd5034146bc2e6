/** Task names of workflow versions: what lists need, without the rest. */
import type { Workflow } from '@orrery/core/model';
import { batch, type Operation } from '../../operation.ts';
import { unnest } from '../../table.ts';

/** A version of a workflow, by its ids. */
export interface VersionRef {
  readonly workflow: number;
  readonly version: number;
}

/** The names of its tasks, in index order. */
export interface Outline extends VersionRef {
  readonly tasks: readonly string[];
}

/** Outlines of versions, in no particular order; missing and unreadable ones are left out. */
export function* readOutlines({
  versions,
}: {
  readonly versions: readonly VersionRef[];
}): Operation<Outline[]> {
  const types = ['int', 'int'] as const;
  const { rows: found } = yield* batch<VersionRef & { body: string }>(
    {
      sqlite: 'SELECT workflow, version, body FROM workflow_version WHERE workflow = ?1 AND version = ?2',
      postgres: `SELECT v.workflow, v.version, v.body FROM ${unnest(types)} AS k(workflow, version)
        JOIN workflow_version v ON v.workflow = k.workflow AND v.version = k.version`,
    },
    types,
    versions.map(({ workflow, version }) => [workflow, version]),
  );
  return found.flatMap(({ workflow, version, body }) => {
    const tasks = namesIn(body);
    return tasks ? [{ workflow, version, tasks }] : [];
  });
}

function namesIn(body: string): string[] | undefined {
  try {
    return (JSON.parse(body) as Workflow).tasks.map(({ name }) => name);
  } catch {
    return undefined;
  }
}
