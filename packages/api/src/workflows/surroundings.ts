/** The context in which workflows are published: task types, and the configured resources they may use. */
import type { ParseOptions } from '@orrery/core/model';
import { isOpenTo } from '@orrery/core/model/uses';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';

/** What a file is checked against; of other projects a caller of one learns nothing. */
export async function surroundingsOf(
  { store, taskTypes }: Context,
  { project }: Identity,
): Promise<ParseOptions> {
  const [types, shared, projects, environments, groups, workerGroups, calendars] = await Promise.all([
    taskTypes(),
    store.readClusterParams(),
    store.listProjects(),
    store.listEnvironments(),
    store.listTaskGroups({ project: project ?? undefined }),
    store.listWorkerGroups(),
    store.listCalendars({ project: project ?? undefined }),
  ]);
  const visible = projects.filter(({ name }) => project === null || name === project);
  return {
    taskTypes: types,
    surroundings: {
      params: {
        shared: Object.keys(shared.value),
        projects: Object.fromEntries(visible.map(({ name, params }) => [name, Object.keys(params)])),
      },
      environments: Object.fromEntries(
        environments
          .filter((one) => project === null || isOpenTo(one.projects, project))
          .map((one) => [one.name, { workerGroups: one.workerGroups, projects: one.projects }]),
      ),
      workerGroups: Object.fromEntries(workerGroups.map((group) => [group.name, group.projects])),
      taskGroups: namesByProject(groups),
      calendars: namesByProject(calendars),
    },
  };
}

function namesByProject(things: readonly { readonly project: string; readonly name: string }[]) {
  return Object.fromEntries(
    [...Map.groupBy(things, (thing) => thing.project)].map(([of, list]) => [
      of,
      list.map(({ name }) => name),
    ]),
  );
}
