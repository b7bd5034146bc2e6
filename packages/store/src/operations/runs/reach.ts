/**
 * The reach of a run: the projects whose workflows it starts in the name of its requester. That is its own and,
 * for a backfill, those of the downstream workflows, which need not let that project call them.
 */
import type { RunRequest } from '@orrery/core/run';
import { type Operation, row } from '../../operation.ts';
import { readOr } from '../../stored.ts';

/** The reach of a run, claimed or not, its own project first; empty if the run does not exist. */
export function* readRunReach({ id }: { readonly id: number }): Operation<readonly string[]> {
  const queued = yield* row<{ project: string; body: string }>(
    'SELECT w.project, c.body FROM command c JOIN workflow w ON w.id = c.workflow WHERE c.seq = ?1',
    id,
  );
  if (queued) {
    const { request } = readOr<{ request?: Partial<RunRequest> }>(queued.body, {});
    return [queued.project, ...downstreamProjects(request)];
  }
  const found = yield* row<{ project: string; request: string }>(
    'SELECT project, request FROM run WHERE id = ?1',
    id,
  );
  return found ? [found.project, ...downstreamProjects(readOr(found.request, {}))] : [];
}

/** The projects of the workflows that a request runs downstream. */
export function downstreamProjects({ project, backfill }: Partial<RunRequest> = {}): string[] {
  return (backfill?.downstream ?? []).flatMap((each) => each.project ?? project ?? []);
}
