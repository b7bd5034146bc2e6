/** Restricts a caller with a single project to it, for every operation in the way the contract declares. */

import type { Operation } from '@orrery/contract';
import { type Said, said } from '@orrery/core/texts';
import type { Store } from '@orrery/store';
import { Hinted, Refusal } from '../problem.ts';
import { workflowName } from '../workflows/find.ts';
import type { Identity } from './identity.ts';

/** The parts of an input that can name something of a project. */
interface Named {
  readonly params: { readonly project?: string; readonly id?: number | { readonly run: number } };
  readonly query: { project?: string; readonly workflow?: string };
  readonly body: { readonly workflow?: string };
}

/** Refuses things outside the caller's project. A list gets the project as its filter. */
export async function keepToProject(
  store: Store,
  operation: Operation,
  input: unknown,
  identity: Identity,
): Promise<void> {
  if (identity.project === null) return;
  const { params, query, body } = input as Named;
  switch (operation.scope) {
    case 'shared':
    case 'handler':
      return;
    case 'every':
      if (identity.project === null) return;
      throw new Refusal('not-allowed', said('access.everyProject', { project: identity.project }));
    case 'path':
      return checkProject(identity, params.project);
    case 'workflow':
      return checkProject(identity, workflowName(body.workflow ?? '').project);
    case 'filter':
      return narrow(operation, query, identity);
    case 'run': {
      const run = typeof params.id === 'object' ? params.id.run : Number(params.id);
      checkThing(identity, await store.readRunProject({ id: run }), said('none.run', { id: run }));
      if (operation.route.startsWith('GET ')) return;
      for (const project of await store.readRunReach({ id: run })) checkProject(identity, project);
      return;
    }
    case 'schedule': {
      const project = await store.readScheduleProject({ id: Number(params.id) });
      return checkThing(identity, project, said('none.schedule', { id: String(params.id) }));
    }
  }
}

/** Refuses a project that is not the caller's. */
export function checkProject(identity: Identity, project: string | undefined): void {
  if (identity.project !== null && project !== identity.project)
    throw new Refusal(
      'not-allowed',
      said('access.otherProject', { of: project ?? '', project: identity.project ?? '' }),
    );
}

/** Things of another project are reported as not found, so that their existence stays hidden. */
function checkThing(identity: Identity, project: string | undefined, absent: Said): void {
  if (project !== identity.project) throw new Refusal('not-found', absent);
}

/**
 * The projects a thing is restricted to, without the names of projects that a single-project caller may not
 * see.
 */
export function seenBy({ project }: Identity, projects: readonly string[]): readonly string[] {
  return project === null ? projects : projects.filter((name) => name === project);
}

/** Removes hints from an error, since they are built from the names of all projects. */
export function withoutHints(error: unknown, { project }: Identity): unknown {
  return error instanceof Hinted && project !== null ? error.plain : error;
}

function narrow({ query: schema }: Operation, query: Named['query'], identity: Identity): void {
  if (query.workflow !== undefined) checkProject(identity, workflowName(query.workflow).project);
  if (query.project !== undefined) checkProject(identity, query.project);
  else if (schema && 'project' in schema.shape) query.project = identity.project ?? undefined;
  else if (query.workflow === undefined)
    throw new Refusal('not-allowed', said('access.nameWorkflow', { project: identity.project ?? '' }));
}

/** Why a caller may not do what concerns all projects; undefined where it may. */
export function refusalOfEvery({ project }: Identity): Said | undefined {
  return project === null ? undefined : said('access.everyProject', { project });
}
