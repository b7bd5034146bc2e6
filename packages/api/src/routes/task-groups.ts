/** `/task-groups`: the slots of task groups, their holders, and the attempts that wait. */

import type { Answer } from '@orrery/contract';
import { limitOfGroup } from '@orrery/core/admit';
import { taskRunText } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Refusal } from '../problem.ts';
import { outlinesOf } from '../runs/outlines.ts';
import { timeText } from '../time.ts';

/** Holders and waiters that are named. */
const NAMED = 100;

/** What the operations do. */
export function taskGroupHandlers(context: Context) {
  const { store, clock, hints } = context;

  return {
    listTaskGroups: async ({ query }) => ({
      taskGroups: await store.listTaskGroups(query),
    }),

    showTaskGroup: async ({ params }) => show(context, params),

    setTaskGroup: async ({ params, body: { slots }, request }) => {
      await store.setTaskGroup({ ...params, slots, by: request.identity.name, now: clock.now() });
      hints.queueFilled?.();
      return show(context, params);
    },

    deleteTaskGroup: async ({ params, request }) => {
      const by = request.identity.name;
      if (!(await store.deleteTaskGroup({ ...params, by, now: clock.now() }))) throw missing(params);
      hints.queueFilled?.();
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

interface GroupName {
  readonly project: string;
  readonly name: string;
}

async function show({ store }: Context, { project, name }: GroupName): Promise<Answer<'showTaskGroup'>> {
  const group = (await store.listTaskGroups({ project })).find((one) => one.name === name);
  if (!group) throw missing({ project, name });
  const [holders, waiters] = await Promise.all([
    store.listHolders({ name: limitOfGroup(project, name), limit: NAMED }),
    store.listGroupWaiters({ project, name, limit: NAMED }),
  ]);
  const tasksOf = await outlinesOf(store).read([...holders, ...waiters]);
  const named = (holder: (typeof holders)[number]) => ({
    taskRun: taskRunText({ run: holder.run, task: tasksOf(holder)[holder.task] ?? `task ${holder.task}` }),
    run: holder.run,
  });
  return {
    ...group,
    holders: holders.map(named),
    waiters: waiters.map((waiter) => ({
      ...named(waiter),
      attempt: waiter.number,
      since: timeText(waiter.since),
    })),
  };
}

function missing({ project, name }: GroupName): Refusal {
  return new Refusal('not-found', said('none.taskGroup', { name: `${project}/${name}` }));
}
