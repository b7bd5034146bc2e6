/** Replaying: another run with what a run was started with, changed where asked; each of the two names the other. */
import type { Action, ReadInput } from '@orrery/contract';
import { type Said, said } from '@orrery/core/texts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';
import { action } from '../workflows/actions.ts';
import { findWorkflow } from '../workflows/find.ts';
import { findRun, noTasks } from './read.ts';
import { startRun } from './start.ts';

/** Whether a run can be replayed. Its state does not matter: nothing of it changes. */
export function replayAction(kind: string): Action {
  return action('replay', whyNotReplayed(kind));
}

function whyNotReplayed(kind: string): Said | undefined {
  return kind === 'backfill' ? said('run.backfillReplay') : undefined;
}

/** Starts it, or finds the run that the same key has started before. */
export async function replayRun(
  context: Context,
  id: number,
  asked: ReadInput<'replayRun'>['body'],
  key: string | undefined,
): Promise<{ run: number; repeated: boolean; counts: boolean; leftOut: string[] }> {
  const { kind, project, name, version, params, scope, request } = await originalOf(context, id);
  const why = whyNotReplayed(kind);
  if (why) throw new Refusal('conflict', said('run.notReplayed', { run: id, why }));
  const wanted = asked.version === 'same' ? version : undefined;
  const found = await findWorkflow(context.store, { project, name }, 'not-accepted', wanted);
  const declared = found.workflow.params;
  const kept = Object.entries(params).filter(([param]) => Object.hasOwn(declared, param));
  const start = {
    workflow: `${project}/${name}`,
    version: found.version,
    params: { ...Object.fromEntries(kept), ...asked.params },
    businessTime: asked.businessTime ?? timeText(request.businessTime),
    scope: asked.scope ?? { kind: scope.kind, tasks: [...scope.tasks] },
    dryRun: asked.dryRun ?? request.dryRun,
    counts: asked.counts,
    priority: asked.priority ?? request.priority,
    tags: [],
    trigger: asked.trigger,
  };
  const started = await startRun(start, key, context, { replayOf: id });
  const leftOut = Object.keys(params).filter((param) => !Object.hasOwn(declared, param));
  return { ...started, leftOut };
}

/** What a run was started with, whether anyone has claimed it or not. */
async function originalOf(context: Context, id: number) {
  const found = await findRun(context, id, noTasks);
  if ('queued' in found) return found.queued.command;
  const { run, request, fields } = found.details;
  return { ...run, params: fields.params, scope: request.scope, request };
}
