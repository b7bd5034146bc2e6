/** Renaming a workflow, and publishing an earlier version of it again. */

import type { Answer } from '@orrery/contract';
import { renameText, renameWorkflow } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { findWorkflow, type WorkflowName } from './find.ts';
import { fingerprint } from './fingerprint.ts';
import { publish } from './publish.ts';
import { parseFile } from './work.ts';

/** Runs that get the new name in one step. */
const STEP = 1_000;

/** Renames a workflow; its runs follow in steps, so that nothing else waits for long. */
export async function rename(
  context: Context,
  from: WorkflowName,
  asked: Partial<WorkflowName> & { readonly note: string },
  identity: Identity,
): Promise<Answer<'renameWorkflow'>> {
  const { store, clock } = context;
  const to = { project: asked.project ?? from.project, name: asked.name ?? from.name };
  checkProject(identity, to.project);
  const live = await findWorkflow(store, from, 'not-found');
  if (to.project === from.project && to.name === from.name)
    throw new Refusal('not-accepted', said('rename.same', { workflow: `${to.project}/${to.name}` }));
  const workflow = renameWorkflow(live.workflow, to);
  const { id, version } = await store.renameWorkflow({
    from,
    version: {
      workflow,
      hash: fingerprint(workflow),
      source: renameText(await sourceOf(context, live.id, live.version), live.workflow, to),
      note: asked.note || `was ${from.project}/${from.name}`,
      author: identity.name,
      base: live.version,
    },
    draft: await renamedDraft(context, from, to),
    now: clock.now(),
  });
  let runs = 0;
  for (let step = STEP; step === STEP; runs += step)
    step = await store.renameRuns({ workflow: id, limit: STEP });
  return { ...to, version, runs };
}

/** Publishes a version again; checked as any file that is published. */
export async function restore(
  context: Context,
  name: WorkflowName & { readonly version: number },
  note: string | undefined,
  identity: Identity,
): Promise<Answer<'restoreVersion'>> {
  const { project, version } = name;
  const found = await findWorkflow(context.store, name, 'not-found', version);
  const text = await sourceOf(context, found.id, version);
  const renamed = found.workflow.name !== name.name || found.workflow.project !== project;
  const {
    workflows: [published],
  } = await publish(
    {
      text: renamed ? renameText(text, found.workflow, { project, name: name.name }) : text,
      dryRun: false,
      note: note ?? `version ${version} again`,
      identity,
      source: 'api',
    },
    context,
  );
  return published;
}

/** The draft with the new name in it. A draft that is not a valid workflow stays unchanged. */
async function renamedDraft(
  { store }: Context,
  from: WorkflowName,
  to: WorkflowName,
): Promise<string | undefined> {
  const draft = await store.readDraft(from);
  if (!draft) return undefined;
  const { workflows, problems } = await parseFile(draft.body);
  return problems.length > 0 || workflows.length !== 1
    ? draft.body
    : renameText(draft.body, workflows[0], to);
}

async function sourceOf({ store }: Context, workflow: number, version: number): Promise<string> {
  const found = await store.readSource({ workflow, version });
  if (!found) throw new Refusal('not-found', said('none.versionText'));
  return found.source;
}
