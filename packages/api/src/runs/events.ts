/** What happened to a run, with names for its tasks. */

import type { Answer } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import type { RunEvent, RunEventPlace } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';
import { findRun, noTasks } from './read.ts';

type ShownEvent = Answer<'listRunEvents'>['events'][number];

/** A page of the history; `next` is the place of its last event, undefined at the end. */
export async function listEvents(
  context: Context,
  id: number,
  {
    order,
    after,
    limit,
  }: { readonly order: 'oldest' | 'newest'; readonly after?: string; readonly limit: number },
): Promise<{ readonly events: ShownEvent[]; readonly next: string | undefined }> {
  const found = await findRun(context, id, noTasks);
  if ('queued' in found) {
    const { command, createdAt } = found.queued;
    const created = { ...nothing, at: timeText(createdAt), kind: 'created', state: command.trigger } as const;
    return { events: after === undefined ? [created] : [], next: undefined };
  }
  const rows = await context.store.listRunEvents({
    run: id,
    newest: order === 'newest',
    after: placeOf(after),
    limit,
  });
  const nameOf = (task: number) => (task < 0 ? null : (found.plan.tasks[task]?.spec.name ?? `task ${task}`));
  const last = rows.at(-1);
  return {
    events: rows.map((event) => show(event, nameOf(event.task))),
    next: last && rows.length === limit ? placeText(last) : undefined,
  };
}

const nothing = {
  task: null,
  shard: null,
  number: null,
  round: null,
  state: null,
  worker: null,
  actor: null,
  action: null,
  epoch: null,
  text: null,
};

/** Further fields of an action in the history. */
interface ActionBody {
  readonly reason?: string;
  readonly round?: number;
  readonly epoch?: number;
}

function show(event: RunEvent, task: string | null): ShownEvent {
  const { kind, shard, number, state, worker, actor, text } = event;
  const base = { ...nothing, at: timeText(event.at), kind, task, worker };
  switch (kind) {
    case 'action': {
      const { reason, round, epoch } = JSON.parse(text ?? '{}') as ActionBody;
      return {
        ...base,
        actor,
        action: state,
        round: round ?? null,
        epoch: epoch ?? null,
        text: reason ?? null,
      };
    }
    case 'queued':
    case 'assigned':
    case 'attempt':
      return { ...base, shard: shard < 0 ? null : shard, number, state, text };
    case 'task':
    case 'round':
      return { ...base, round: number, state };
    default:
      return { ...base, state };
  }
}

function placeText({ at, rank, task, shard, number }: RunEvent): string {
  return [at, rank, task, shard, number].join('.');
}

function placeOf(text: string | undefined): RunEventPlace | undefined {
  if (text === undefined) return undefined;
  const parts = text.split('.').map(Number);
  if (parts.length !== 5 || !parts.every(Number.isSafeInteger))
    throw new Refusal('bad-request', said('page.badPlace'));
  const [at, rank, task, shard, number] = parts;
  return [at, rank, task, shard, number];
}
