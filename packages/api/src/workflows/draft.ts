/** Drafts: read, saved if the caller has seen the last revision, discarded, and published. */

import type { Answer, ReadInput } from '@orrery/contract';
import type { Workflow } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Conflict, type DraftRow } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { Changed, Refusal } from '../problem.ts';
import { startRun } from '../runs/start.ts';
import { timeText } from '../time.ts';
import type { WorkflowName } from './find.ts';
import { fingerprint } from './fingerprint.ts';
import { publishOne, refuseProblems } from './publish.ts';
import { surroundingsOf } from './surroundings.ts';
import { parseFile } from './work.ts';

/** The draft of a workflow; refused where there is none. */
export async function readDraft({ store }: Context, name: WorkflowName): Promise<Answer<'readDraft'>> {
  const [draft, live] = await Promise.all([store.readDraft(name), store.readWorkflow(name)]);
  if (!draft) throw noDraft(name);
  return { ...headOf(draft), text: draft.body, live: live?.version ?? null };
}

/** Saves a draft. A caller that has not seen the last revision gets that revision instead. */
export async function saveDraft(
  context: Context,
  name: WorkflowName,
  draft: { readonly text: string; readonly base?: number | null; readonly author: string },
  seen: number | undefined,
): Promise<Answer<'saveDraft'>> {
  const { store, clock } = context;
  const { text: body, author } = draft;
  const now = clock.now();
  const base = draft.base === undefined ? await baseOf(context, name) : draft.base;
  try {
    const { revision } = await store.saveDraft({ ...name, body, base, revision: seen ?? 0, author, now });
    return { base, revision, author, savedAt: timeText(now) };
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    throw await changed(context, name);
  }
}

/** Discards a draft; with a revision, only that one. */
export async function discardDraft(
  context: Context,
  name: WorkflowName,
  seen: number | undefined,
): Promise<void> {
  const { store, clock } = context;
  const draft = await store.readDraft(name);
  if (!draft) throw noDraft(name);
  const { workflow, revision } = draft;
  if (!(await store.discardDraft({ workflow, revision: seen ?? revision, now: clock.now() })))
    throw await changed(context, name);
}

/** Makes a draft the live version. An invalid draft stays a draft; open runs keep their version. */
export async function publishDraft(
  context: Context,
  name: WorkflowName,
  {
    note,
    overwrite,
    identity,
  }: { readonly note: string; readonly overwrite: boolean; readonly identity: Identity },
  seen: number | undefined,
): Promise<Answer<'publishDraft'>> {
  const draft = await readDraft(context, name);
  if (seen !== undefined && seen !== draft.revision) throw await changed(context, name);
  if (draft.base !== draft.live && !overwrite) throw outdated(draft);
  const workflow = await checkedDraft(context, name, draft.text, identity);
  const base = overwrite ? undefined : draft.base;
  const request = { text: draft.text, dryRun: false, note, identity, source: 'editor', base } as const;
  const published = await publishOne(workflow, request, context).catch(async (error: unknown) => {
    throw error instanceof Conflict ? outdated(await readDraft(context, name)) : error;
  });
  await discardDraft(context, name, draft.revision).catch(ignoreChanged);
  return published;
}

/** The workflow of a draft; refused where it could not be published. */
async function checkedDraft(
  context: Context,
  { project, name }: WorkflowName,
  text: string,
  identity: Identity,
): Promise<Workflow> {
  const { workflows, problems } = await parseFile(text, await surroundingsOf(context, identity));
  refuseProblems(problems);
  const [workflow] = workflows;
  if (workflows.length > 1 || workflow.project !== project || workflow.name !== name)
    throw new Refusal('not-accepted', said('draft.otherName'), [
      { path: ['name'], message: `must be the workflow ${project}/${name} alone` },
    ]);
  await context.store.refuseCycles({ workflows });
  await context.store.refuseCalls({ workflows });
  return workflow;
}

/** Starts a test run of the current draft, under the checks of publishing. The live version is unchanged. */
export async function testDraft(
  context: Context,
  name: WorkflowName,
  { identity, ...asked }: ReadInput<'testDraft'>['body'] & { readonly identity: Identity },
  seen: number | undefined,
  key: string | undefined,
): ReturnType<typeof startRun> {
  const { store, clock } = context;
  const draft = await readDraft(context, name);
  if (seen !== undefined && seen !== draft.revision) throw await changed(context, name);
  const workflow = await checkedDraft(context, name, draft.text, identity);
  const { version } = await store.keepDraftVersion({
    workflow,
    hash: fingerprint(workflow),
    source: draft.text,
    author: identity.name,
    now: clock.now(),
  });
  const start = { ...asked, workflow: `${name.project}/${name.name}`, version, counts: false };
  return startRun(start, key, context);
}

/** What was typed while it was being published stays a draft. */
function ignoreChanged(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** Another version was published since the draft was started. */
function outdated(draft: Answer<'readDraft'>): Refusal {
  const [base, live] = [versionText(draft.base), versionText(draft.live)];
  return new Changed(said('draft.began', { base, live }), draft);
}

function versionText(version: number | null): string {
  return version === null ? 'no version' : `version ${version}`;
}

async function baseOf({ store }: Context, name: WorkflowName): Promise<number | null> {
  const draft = await store.readDraft(name);
  return draft ? draft.base : ((await store.readWorkflow(name))?.version ?? null);
}

async function changed(context: Context, name: WorkflowName): Promise<Refusal> {
  const draft = await context.store.readDraft(name);
  if (!draft) return new Changed(said('draft.gone', { workflow: `${name.project}/${name.name}` }), null);
  return new Changed(
    said('draft.revision', { revision: draft.revision, by: draft.author, at: timeText(draft.savedAt) }),
    await readDraft(context, name),
  );
}

function noDraft({ project, name }: WorkflowName): Refusal {
  return new Refusal('not-found', said('none.draft', { workflow: `${project}/${name}` }));
}

/** A draft without its text. */
export function headOf({ base, revision, author, savedAt }: DraftRow): Answer<'saveDraft'> {
  return { base, revision, author, savedAt: timeText(savedAt) };
}
