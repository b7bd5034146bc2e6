/** Starting a run: a checked request becomes a command, which reserves the run's id. */

import { isDeepStrictEqual } from 'node:util';
import { admissionOf } from '@orrery/core/admit';
import type { ReadInput } from '@orrery/core/contract';
import { didYouMean, type Workflow } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { Scope } from '@orrery/core/run';
import { parseTime, zone } from '@orrery/core/time';
import type { Command, Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';
import { checkParameters } from './parameters.ts';

/** Queues the command of a new run, or finds the run that the same key has started before. */
export async function startRun(
  request: ReadInput<'startRun'>['body'],
  key: string | undefined,
  context: Context,
  replayOf?: number,
): Promise<{ run: number; repeated: boolean; counts: boolean }> {
  const { store, clock } = context;
  const counts = request.counts ?? (!request.dryRun && request.scope.kind === 'all');
  const name = workflowName(request.workflow);
  const found = await findWorkflow(store, name, 'not-accepted', request.version);
  // An earlier version may still have the name from before a rename.
  const workflow = { ...found.workflow, ...name };
  checkSize(request.params);
  checkParameters(workflow.params, request.params);
  checkScope(workflow, request.scope);
  const now = clock.now();
  const priority = request.priority ?? workflow.priority;
  const command: Command = {
    workflow: found.id,
    version: found.version,
    project: workflow.project,
    name: workflow.name,
    priority: priorityNumber(priority),
    kind: 'normal',
    trigger: request.trigger,
    request: {
      project: workflow.project,
      priority,
      onFailure: workflow.onFailure,
      businessTime:
        request.businessTime === undefined ? now : parseTime(request.businessTime, zone(workflow.timezone)),
      timezone: workflow.timezone,
      dryRun: request.dryRun,
      counts,
      depth: 0,
      replayOf,
    },
    params: request.params,
    scope: request.scope,
    tags: [...workflow.tags, ...request.tags],
    tenant: workflow.tenant,
    admission: admissionOf(workflow, false),
    onePerPeriod: workflow.onePerPeriod,
  };
  return { ...(await queueStart(context, command, key)), counts };
}

/** Parameters go to each worker with the settings of the task, in one message of at most 900,000 bytes. */
const MOST_PARAMETER_BYTES = 800_000;

function checkSize(params: Readonly<Record<string, string>> | undefined): void {
  const bytes = Buffer.byteLength(JSON.stringify(params ?? {}));
  if (bytes > MOST_PARAMETER_BYTES)
    throw new Refusal(
      'too-large',
      `the parameters take ${bytes} bytes; at most ${MOST_PARAMETER_BYTES} can be sent to a worker`,
    );
}

/** Queues a command, or finds the run that the same key has started before. */
export async function queueStart(
  { store, clock, hints, backlog }: Context,
  command: Command,
  key: string | undefined,
): Promise<{ run: number; repeated: boolean }> {
  await backlog.check();
  const answer = await store.submitCommand({ command, key, now: clock.now() });
  if (answer.repeated) await checkRepeated(store, answer.run, command);
  else hints.commandsQueued();
  return answer;
}

/** A key stands for one request: with another one it is a mistake that must not look like success. */
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
  throw new Refusal(
    'conflict',
    'this Idempotency-Key was used to start another workflow or with other parameters',
  );
}

/** Refuses names of tasks that the workflow does not have. */
export function checkScope({ tasks }: Workflow, { tasks: wanted }: Scope): void {
  const known = new Set(tasks.map(({ name }) => name));
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Refusal('not-accepted', `there is no task "${unknown}"${didYouMean(unknown, [...known])}`);
}
