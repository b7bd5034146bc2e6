/** Starting a run: a checked request becomes a command, which reserves the run's id. */

import { isDeepStrictEqual } from 'node:util';
import type { ReadInput } from '@orrery/contract';
import { hintFor, type Workflow } from '@orrery/core/model';
import type { Scope } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import { parseTime, zone } from '@orrery/core/time';
import { type Command, type HookDelivery, type Store, startCommand } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { findStartable, workflowName } from '../workflows/find.ts';
import { checkParameters } from './parameters.ts';

/** Queues the command of a new run, or finds the run that the same key has started before. */
export async function startRun(
  request: ReadInput<'startRun'>['body'],
  key: string | undefined,
  context: Context,
  { replayOf, find = findStartable }: { replayOf?: number; find?: typeof findStartable } = {},
): Promise<{ run: number; repeated: boolean; counts: boolean }> {
  const { store, clock } = context;
  const isTest = (request.version ?? 1) < 0;
  const counts = !isTest && (request.counts ?? (!request.dryRun && request.scope.kind === 'all'));
  const name = workflowName(request.workflow);
  const found = await find(store, name, 'not-accepted', request.version);
  // An earlier version may still have the name from before a rename.
  const workflow = { ...found.workflow, ...name };
  checkParameters(workflow.params, request.params);
  checkScope(workflow, request.scope);
  const now = clock.now();
  const { trigger, params, priority, scope, tags, dryRun, businessTime } = request;
  const at = businessTime === undefined ? now : parseTime(businessTime, zone(workflow.timezone));
  const start = { trigger, params, priority, scope, tags, dryRun, counts, replayOf, businessTime: at };
  const command = startCommand({ ...found, workflow }, start);
  return { ...(await queueStart(context, command, key)), counts };
}

/** Queues a command, or finds the run that the same key has started before. */
export async function queueStart(
  { store, clock, hints, backlog }: Context,
  command: Command,
  key: string | undefined,
  delivery?: HookDelivery,
): Promise<{ run: number; repeated: boolean }> {
  await backlog.check();
  const answer = await store.submitCommand({ command, key, delivery, now: clock.now() });
  if (answer.repeated) await checkRepeated(store, answer.run, command);
  else hints.commandsQueued();
  return answer;
}

/** A key identifies one request. With a different request it is an error that must not look like success. */
async function checkRepeated(store: Store, run: number, wanted: Command): Promise<void> {
  const queued = await store.readCommand({ run });
  const details = queued ? undefined : await store.readRunDetails({ id: run, from: 0, to: 0 });
  const first = queued ? (JSON.parse(queued.body) as Command) : details;
  if (!first) return;
  const params = 'params' in first ? first.params : first.fields.params;
  const asked = (of: Pick<Command, 'workflow' | 'request'>, given: object) => [
    of.workflow,
    given,
    of.request.backfill,
    of.request.replayOf,
  ];
  if (isDeepStrictEqual(asked(first, params), asked(wanted, wanted.params))) return;
  throw new Refusal('conflict', said('once.otherStart'));
}

/** Refuses names of tasks that the workflow does not have. */
export function checkScope({ tasks }: Workflow, { tasks: wanted }: Scope): void {
  const known = new Set(tasks.map(({ name }) => name));
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Refusal(
      'not-accepted',
      said('none.taskOfWorkflow', { task: unknown, hint: hintFor(unknown, [...known]) }),
    );
}
