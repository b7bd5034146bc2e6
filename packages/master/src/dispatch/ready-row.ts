/** An attempt as a row of the queue: its position, its payload, and the slots it needs. */
import { limitOfGroup } from '@orrery/core/admit';
import { priorities } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { Ticket } from '@orrery/core/run';
import type { ReadyRow } from '@orrery/store';
import type { RunEntry } from '../runs/run-entry.ts';
import { payloadOf } from './payload.ts';

/** Builds the row of an attempt that `owner` has decided on. Throws if a parameter cannot be resolved. */
export function readyRow({ run, id }: RunEntry, { attempt, ...ticket }: Ticket, owner: string): ReadyRow {
  return {
    run: id,
    ...attempt,
    workerGroup: ticket.workerGroup,
    runPriority: priorityNumber(run.request.priority),
    taskPriority: priorityNumber(ticket.priority),
    target: ticket.target,
    cores: ticket.resources?.cores,
    memory: ticket.resources?.memory,
    avoid: ticket.avoid,
    payload: JSON.stringify(payloadOf(run, attempt, owner)),
    limits: groupLimit(run.request.project, ticket),
  };
}

/**
 * The slot that an attempt of a task group needs. A wait list admits the smallest number first, so high
 * priority is 1.
 */
function groupLimit(project: string, { group, priority }: Omit<Ticket, 'attempt'>): ReadyRow['limits'] {
  if (!group) return undefined;
  const place = priorityNumber(priority) - group.priority * priorities.length;
  return { needs: [{ name: limitOfGroup(project, group.name), priority: place }] };
}
