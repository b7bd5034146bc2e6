/** `GET /why/{id}`: for a run or a task run, why it is where it is, since when, and what would free it. */
import { type Answer, type TaskRunName, taskRunText } from '@orrery/core/contract';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { findRun, findTaskRun } from '../runs/read.ts';
import { shownState } from '../runs/show.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';
import { whyQueuedRun, whyRun } from '../why/run.ts';
import type { Reason } from '../why/sentence.ts';
import { whyTaskRun } from '../why/task-run.ts';

/** Runs and task runs that are named by their ids. */
const MOST_NAMED = 100;

/** Task runs that are looked at to explain a run. */
const LOOKED_AT = 1_000;

type Why = Answer<'explain'>;

/** Adds the route. */
export function addWhyRoute(app: FastifyInstance, context: Context): void {
  serve(app, context, 'explain', async ({ params: { id } }) =>
    typeof id === 'number' ? aboutRun(context, id) : aboutTaskRun(context, id),
  );
}

async function aboutRun(context: Context, id: number): Promise<Why> {
  const found = await findRun(context, id, { from: 0, to: LOOKED_AT });
  if ('queued' in found) {
    const reason = await whyQueuedRun(context, found.queued);
    return answer(String(id), 'queued', timeText(found.queued.createdAt), reason);
  }
  const { state, since } = found.details.fields;
  return answer(String(id), state, timeText(since), await whyRun(context, found));
}

async function aboutTaskRun(context: Context, name: TaskRunName): Promise<Why> {
  const found = await findTaskRun(context, name);
  const [row] = found.details.tasks;
  const state = shownState(row?.state ?? 'pending', row?.round ?? 1, found.details.fields.round);
  const reason = await whyTaskRun(context, found, found.index);
  return answer(
    taskRunText(name),
    state,
    optionalTime(row?.since ?? found.details.fields.roundStarted),
    reason,
  );
}

function answer(id: string, state: string, since: string | null, { why, frees, waitsFor = [] }: Reason): Why {
  return { id, state, since, why, frees, waitsFor: waitsFor.slice(0, MOST_NAMED) };
}
