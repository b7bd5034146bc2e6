/** Publishing: a file becomes new versions of all its workflows, or none, and every problem is reported. */
import type { Answer } from '@orrery/contract';
import { type Problem, timingOf, type Warning, type Workflow } from '@orrery/core/model';
import { nextTick } from '@orrery/core/time';
import { BadEntry, type NewVersion } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { fingerprint } from './fingerprint.ts';
import { surroundingsOf } from './surroundings.ts';
import { differencesOf, parseFile } from './work.ts';

/** The options of a request to publish. */
export interface PublishRequest {
  readonly text: string;
  /** Only say what would change. */
  readonly dryRun: boolean;
  readonly note: string;
  /** The caller: the author of the versions, perhaps restricted to one project. */
  readonly identity: Identity;
  readonly source: 'api' | 'apply' | 'editor';
  /** Aborted when the caller disconnects: a large file need not be read to its end. */
  readonly gone?: AbortSignal;
  /** The module that the file was made from. */
  readonly module?: string | undefined;
  /** Only while this version is live; null: while none is. */
  readonly base?: number | null;
  /** The workflows of the whole file. */
  readonly beside?: readonly Workflow[];
}

type Published = Answer<'publishDraft'>;

/** Publishes every workflow of a file; the same file again changes nothing. */
export async function publish(
  request: PublishRequest,
  context: Context,
): Promise<{ workflows: Published[]; warnings: readonly Warning[] }> {
  const { workflows, sources, problems, warnings } = await parseFile(
    request.text,
    await surroundingsOf(context, request.identity),
    request.gone,
  );
  refuseProblems(problems);
  for (const { project } of workflows) checkProject(request.identity, project);
  await context.store.refuseCycles({ workflows });
  await context.store.refuseCalls({ workflows });
  const prepared: Prepared[] = [];
  for (const [k, workflow] of workflows.entries())
    prepared.push(await prepare(workflow, { ...request, text: sources[k], beside: workflows }, context));
  return { workflows: await carryOut(prepared, context), warnings: warnings.slice(0, MOST_PROBLEMS) };
}

/** Problems that one answer tells: a file of 10 MB can have a million. */
export const MOST_PROBLEMS = 1_000;

/** Refuses a file that has problems. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  const told = problems.slice(0, MOST_PROBLEMS);
  const first = told.length < problems.length ? `, of which the first ${told.length} are told` : '';
  throw new Refusal('not-accepted', `the workflow file has ${count}${first}; nothing was changed`, told);
}

/** Publishes one workflow that was read without problems; `text` is its own text. */
export async function publishOne(
  workflow: Workflow,
  request: PublishRequest,
  context: Context,
): Promise<Published> {
  const [published] = await carryOut([await prepare(workflow, request, context)], context);
  return published;
}

/** The prepared publication of a workflow. */
interface Prepared {
  /** Undefined where nothing changes, or nothing shall. */
  readonly fresh: NewVersion | undefined;
  /** It has schedules, or had. */
  readonly scheduled: boolean;
  /** The answer, without the version still to be created. */
  readonly answer: Published;
}

async function prepare(
  workflow: Workflow,
  { text, dryRun, note, identity, source, module, base, beside }: PublishRequest,
  { store, clock }: Context,
): Promise<Prepared> {
  const { project, name } = workflow;
  const hash = fingerprint(workflow);
  // One that cannot be read is mended by another: there is nothing to compare it with.
  const live = await store.readWorkflow({ project, name }).catch((error) => {
    if (!(error instanceof BadEntry)) throw error;
    return undefined;
  });
  const changed = !live || fingerprint(live.workflow) !== hash;
  const diff = live && changed ? await differencesOf(live.workflow, workflow) : [];
  const version = changed ? null : live.version;
  const answer = { project, name, version, changed, created: !live, diff };
  const scheduled = workflow.schedules.length > 0 || (live?.workflow.schedules.length ?? 0) > 0;
  if (!changed || dryRun) return { fresh: undefined, scheduled, answer };
  // Schedules begin at the store's time: the clock of this machine may be wrong.
  const now = scheduled ? await store.readTime() : clock.now();
  const due = Object.fromEntries(
    workflow.schedules
      .filter(({ calendar }) => calendar === undefined)
      .map((spec) => [spec.name, spec.enabled === false ? null : (nextTick(timingOf(spec), now) ?? null)]),
  );
  const made = { note, author: identity.name, origin: source, module, base, beside, due, now };
  return { fresh: { workflow, hash, source: text, ...made }, scheduled, answer };
}

/** Publishes what changes, in one transaction. */
async function carryOut(prepared: readonly Prepared[], { store, hints }: Context): Promise<Published[]> {
  const changing = prepared.filter(({ fresh }) => fresh !== undefined);
  if (changing.length === 0) return prepared.map(({ answer }) => answer);
  const versions = changing.flatMap((each) => each.fresh ?? []);
  const published = await store.publishWorkflows({ versions });
  if (changing.some(({ scheduled }) => scheduled)) hints.schedulesChanged?.();
  return prepared.map((each) => {
    const made = published[changing.indexOf(each)];
    return made === undefined ? each.answer : { ...each.answer, version: made.version };
  });
}
