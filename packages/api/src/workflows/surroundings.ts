/** What is known of the place where workflows are published: task types, and what is set up for them to use. */
import type { ParseOptions } from '@orrery/core/model';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../server.ts';

/** What a file is checked against; of other projects a caller of one learns nothing. */
export async function surroundingsOf(
  { store, taskTypes }: Context,
  { project }: Identity,
): Promise<ParseOptions> {
  const [types, shared, projects, environments, groups] = await Promise.all([
    taskTypes(),
    store.readClusterParams(),
    store.listProjects(),
    store.listEnvironments(),
    store.listTaskGroups({ project: project ?? undefined }),
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
        environments.map(({ name, workerGroups }) => [name, { workerGroups }]),
      ),
      taskGroups: Object.fromEntries(
        [...Map.groupBy(groups, (group) => group.project)].map(([of, list]) => [
          of,
          list.map(({ name }) => name),
        ]),
      ),
    },
  };
}
