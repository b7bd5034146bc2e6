/** What someone can do about a wait: an action of the run or task run that it is on, or a command for a shell. */

import type { Answer } from '@orrery/contract';
import { refusal, taskRunText } from '@orrery/core/run';
import type { WhyReason } from '@orrery/core/why';
import type { Context } from '../context.ts';
import { joinAddress, startMaster, startWorker } from '../node-commands.ts';
import { actionsOf } from '../runs/control.ts';
import { asRun, type FoundRun } from '../runs/read.ts';
import { action } from '../workflows/actions.ts';

type Help = Pick<Answer<'explain'>, 'actions' | 'command'>;

const nothing: Help = { actions: [], command: null };

/**
 * The remedy for a reason. `found` is absent for an unclaimed run, `task` if the reason concerns the whole
 * run.
 */
export async function helpOf(
  context: Context,
  reason: WhyReason,
  found?: FoundRun,
  task?: string,
): Promise<Help> {
  const { store, clock } = context;
  switch (reason.code) {
    case 'task-waits':
      return helpOf(context, reason.reason, found, reason.task);
    case 'start-no-master':
    case 'unowned-no-master':
      return { ...nothing, command: startMaster(store.dialect) };
    case 'start-masters-full':
    case 'start-overloaded':
      // A file has one process.
      return store.dialect === 'sqlite' ? nothing : { ...nothing, command: startMaster(store.dialect) };
    case 'no-worker':
    case 'workers-unhealthy':
    case 'no-room':
      return {
        ...nothing,
        command: startWorker(reason.group, joinAddress(await store.listNodes(), clock.now())),
      };
    case 'run-paused':
    case 'held':
      return found ? { ...nothing, actions: resume(found) } : nothing;
    case 'delayed':
    case 'retrying':
    case 'limit-full':
      return found && task !== undefined ? { ...nothing, actions: [startNow(found, task)] } : nothing;
    default:
      return nothing;
  }
}

function resume(found: FoundRun): Help['actions'] {
  const of = String(found.details.run.id);
  return actionsOf(found).flatMap((action) => (action.name === 'resume' ? [{ ...action, of }] : []));
}

function startNow(found: FoundRun, task: string): Help['actions'][number] {
  const of = taskRunText({ run: found.details.run.id, task });
  return { ...action('start-now', refusal(asRun(found), { type: 'start-now', task })), of };
}
