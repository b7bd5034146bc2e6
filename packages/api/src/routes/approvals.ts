/** `/approvals`: tasks that wait for a person, and what people say to them. */
import { taskRunText } from '@orrery/core/run';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { answer, makeLink, readApproval } from '../runs/approvals.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function approvalHandlers(context: Context) {
  const { store, clock } = context;
  return {
    listApprovals: async ({ query: { project, limit } }) => {
      const rows = await store.listApprovals({ project, limit });
      const approvals = rows.map(({ run, project, workflow, name: task, message, since }) => ({
        id: taskRunText({ run, task }),
        run,
        project,
        workflow,
        task,
        message,
        since: timeText(since),
      }));
      return { approvals };
    },

    showApproval: async ({ params: { id }, request }) => readApproval(context, id, request.identity),

    linkApproval: async ({ params: { id }, body, request }) => ({
      path: await makeLink(context, id, body.for, request.identity),
    }),

    answerApproval: async ({ params: { id }, body, request }) => {
      await answer(context, id, body, request.identity);
      const { name: by } = request.identity;
      return { id: taskRunText(id), answer: body.answer, by, at: timeText(clock.now()) };
    },
  } satisfies Partial<Handlers>;
}
