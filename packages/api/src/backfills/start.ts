/**
 * Starts a backfill: turns the request into the command of a run of kind `backfill`, or in a dry run returns
 * only its counts.
 */
import type { Answer, ReadInput } from '@orrery/contract';
import type { VersionReference } from '@orrery/core/run';
import { MAX_ELEMENTS, packTimes } from '@orrery/core/series';
import { type Store, startCommand } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { checkParameters } from '../runs/parameters.ts';
import { queueStart } from '../runs/start.ts';
import { timeText } from '../time.ts';
import { findStartable, type WorkflowName, workflowName } from '../workflows/find.ts';
import { downstreamOf, keyOf } from './downstream.ts';
import { refuseCount, timesOf } from './times.ts';

/** Business times that an answer lists. */
const SHOWN_TIMES = 1_000;

/** Starts a backfill, or in a dry run returns its effects. */
export async function startBackfill(
  asked: ReadInput<'startBackfill'>['body'],
  key: string | undefined,
  identity: Identity,
  context: Context,
): Promise<Omit<Answer<'startBackfill'>, 'state'>> {
  const { store, clock } = context;
  const found = await findStartable(store, workflowName(asked.workflow), 'not-accepted');
  const { workflow } = found;
  const { project, name } = workflow;
  const { times, timezone, schedule } = await timesOf(asked, workflow, store);
  const params = { ...schedule?.params, ...asked.params };
  checkParameters(workflow.params, params);
  const downstream = asked.includeDownstream ? await downstreamOf(store, workflow) : [];
  for (const each of downstream) checkProject(identity, each.project);
  const runs = times.length * (1 + downstream.length);
  if (runs > MAX_ELEMENTS) refuseCount(String(runs));
  const told = {
    count: times.length,
    runs,
    times: times.slice(0, SHOWN_TIMES).map(timeText),
    workflows: [workflow, ...downstream].map(keyOf),
  };
  if (asked.dryRun) return { id: null, repeated: false, ...told };
  const keepsVersion = asked.version === 'start';
  const command = startCommand(found, {
    trigger: asked.trigger,
    businessTime: clock.now(),
    params,
    priority: asked.priority ?? schedule?.priority,
    timezone,
    backfill: {
      workflow: { project, name, version: keepsVersion ? found.version : undefined },
      params,
      times: packTimes(times),
      parallelism: asked.parallel,
      onFailure: asked.onFailure,
      timezone,
      downstream: keepsVersion ? await withVersions(downstream, store) : downstream,
    },
  });
  const { run, repeated } = await queueStart(context, command, key);
  return { id: run, repeated, ...told };
}

/** Workflows with the versions that are live now. */
async function withVersions(workflows: readonly WorkflowName[], store: Store): Promise<VersionReference[]> {
  const found = await Promise.all(
    workflows.map(({ project, name }) => store.readWorkflow({ project, name })),
  );
  return workflows.map(({ project, name }, k) => ({ project, name, version: found[k]?.version }));
}
