/** Why runs and task runs are where they are, as the API answers it: the reason in words, as a code, and since when. */
import type { Answer } from '@orrery/contract';
import { countsAsRun, taskRunText } from '@orrery/core/run';
import { sentence, type WhyReason } from '@orrery/core/why';
import type { StateCount } from '@orrery/store';
import type { Context } from '../context.ts';
import type { FoundRun, QueuedRun } from '../runs/read.ts';
import { shownState } from '../runs/show-row.ts';
import { optionalTime, timeText } from '../time.ts';
import { helpOf } from './help.ts';
import { whyQueuedRun, whyRun } from './run.ts';
import { whyTaskRun } from './task-run.ts';

type Why = Answer<'explain'>;

/** Runs and task runs that are named by their ids. */
const MOST_NAMED = 100;

/** Explains a run whose command no master has claimed. */
export async function explainQueued(context: Context, id: number, queued: QueuedRun): Promise<Why> {
  const reason = await whyQueuedRun(context, queued);
  return {
    ...answer(String(id), 'queued', timeText(queued.createdAt), reason),
    ...(await helpOf(context, reason)),
  };
}

/** Explains a run; `found` holds the first page of its task runs, `counts` tells of all. */
export async function explainRun(
  context: Context,
  found: FoundRun,
  counts: readonly StateCount[],
): Promise<Why> {
  const { state, since } = found.details.fields;
  const reason = await whyRun(context, found, counts);
  const { run, request } = found.details;
  const said = answer(String(run.id), state, timeText(since), reason);
  const why = countsAsRun(request) ? said.why : `${said.why}; ${uncounted(request, run.version)}`;
  const fields = { ...said.fields, counted: countsAsRun(request) };
  return { ...said, why, fields, ...(await helpOf(context, reason, found)) };
}

function uncounted({ dryRun }: FoundRun['details']['request'], version: number): string {
  const kind = version < 0 ? 'a test run of a draft' : dryRun ? 'a dry run' : 'a run of some tasks';
  return `${kind}, which counts for nothing`;
}

/** Explains a task run; `found` holds it on its page. */
export async function explainTaskRun(context: Context, found: FoundRun, index: number): Promise<Why> {
  const { details, plan } = found;
  const row = details.tasks.find(({ task }) => task === index);
  const state = shownState(row?.state ?? 'pending', row?.round ?? 1, details.fields.round);
  const since = optionalTime(row?.since || details.fields.roundStarted);
  const { name } = plan.tasks[index].spec;
  const reason = await whyTaskRun(context, found, index);
  const said = answer(taskRunText({ run: details.run.id, task: name }), state, since, reason);
  return { ...said, ...(await helpOf(context, reason, found, name)) };
}

function answer(
  id: string,
  state: string,
  since: string | null,
  reason: WhyReason,
): Omit<Why, 'actions' | 'command'> {
  const { code, ...fields } = reason;
  const { why, frees, waitsFor } = sentence(reason);
  return { id, state, since, why, frees, code, fields, waitsFor: waitsFor.slice(0, MOST_NAMED) };
}
