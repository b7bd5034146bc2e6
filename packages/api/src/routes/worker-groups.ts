/** `/worker-groups`: which projects' tasks the workers of a group take, and how one is chosen. */
import type { Answer } from '@orrery/contract';
import { isOpenTo } from '@orrery/core/model/uses';
import { Conflict, type WorkerChoiceRow, type WorkerGroupRow } from '@orrery/store';
import { seenBy } from '../access/scope.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Changed } from '../problem.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function workerGroupHandlers(context: Context) {
  const { store, clock } = context;

  const served = async () => {
    const counts = new Map<string, number>();
    for (const { lost, groups } of await store.listWorkers())
      if (lost === 0)
        for (const name of JSON.parse(groups) as string[]) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };

  return {
    listWorkerGroups: async ({ request: { identity } }) => {
      const [counts, set, choices] = await Promise.all([
        served(),
        store.listWorkerGroups(),
        store.listWorkerChoices(),
      ]);
      const unset = [...counts.keys()].filter((name) => !set.some((group) => group.name === name));
      const all = [...set, ...unset.map((name) => ({ name, projects: [], revision: 0, changedAt: null }))];
      return {
        workerGroups: all
          .filter(({ projects }) => identity.project === null || isOpenTo(projects, identity.project))
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((group) => shown({ ...group, projects: seenBy(identity, group.projects) }, counts, choices)),
      };
    },

    setWorkerGroup: async ({ params: { name }, headers, body: { projects }, request }, reply) => {
      const by = request.identity.name;
      const [counts, choices] = await Promise.all([served(), store.listWorkerChoices()]);
      const written = await store
        .setWorkerGroup({
          ...{ name, by, revision: headers.ifMatch, now: clock.now() },
          projects: [...new Set(projects)],
        })
        .catch(async (error: unknown) => {
          if (!(error instanceof Conflict)) throw error;
          const present = (await store.listWorkerGroups()).find((group) => group.name === name);
          throw new Changed(error.said ?? error.message, present ? shown(present, counts, choices) : null);
        });
      reply.header('etag', `"${written.revision}"`);
      return shown(written, counts, choices);
    },

    setWorkerChoice: async ({ params: { name }, body, request }) => {
      const by = request.identity.name;
      const choice = await store.setWorkerChoice({ ...body, name, by, now: clock.now() });
      const [group] = (await store.listWorkerGroups()).filter((one) => one.name === name);
      return shown(group, await served(), [choice]);
    },
  } satisfies Partial<Handlers>;
}

type Shown = Omit<WorkerGroupRow, 'changedAt'> & { readonly changedAt: number | null };

function shown(
  group: Shown,
  counts: ReadonlyMap<string, number>,
  choices: readonly WorkerChoiceRow[],
): Answer<'setWorkerGroup'> {
  const { name, projects, revision, changedAt } = group;
  const { choose, weights } = choices.find((one) => one.name === name) ?? { choose: 'queue', weights: {} };
  return {
    ...{ choose, weights: { ...weights } },
    ...{ name, projects: [...projects], workers: counts.get(name) ?? 0, revision },
    changedAt: changedAt === null ? null : timeText(changedAt),
  };
}
