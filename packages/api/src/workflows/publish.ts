/** Publishing: a file becomes new versions of its workflows, or nothing does and every problem is told. */
import { didYouMean, isLogicType, timingOf, type Workflow } from '@orrery/core/model';
import { nextTick } from '@orrery/core/time';
import { type InputProblem, Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { type Difference, differences } from './diff.ts';
import { fingerprint } from './fingerprint.ts';
import { parseFile } from './parse.ts';

/** How publishing is asked for. */
export interface PublishRequest {
  readonly text: string;
  /** Only say what would change. */
  readonly dryRun: boolean;
  readonly note: string;
}

/** What became of one workflow. */
export interface Published {
  readonly project: string;
  readonly name: string;
  /** The live version now; in a dry run null where publishing would make a new one. */
  readonly version: number | null;
  readonly changed: boolean;
  /** It had no version before. */
  readonly created: boolean;
  readonly diff: readonly Difference[];
}

/** Publishes every workflow of a file; the same file again changes nothing. */
export async function publish(request: PublishRequest, context: Context): Promise<Published[]> {
  const { workflows, problems } = await parseFile(request.text);
  const all: InputProblem[] = [...problems, ...workflows.flatMap((each) => unknownTypes(each, context))];
  if (all.length > 0) {
    const count = all.length === 1 ? 'one problem' : `${all.length} problems`;
    throw new Refusal('not-accepted', `the workflow file has ${count}; nothing was changed`, all);
  }
  const published: Published[] = [];
  for (const workflow of workflows) published.push(await publishOne(workflow, request, context));
  return published;
}

async function publishOne(
  workflow: Workflow,
  { text, dryRun, note }: PublishRequest,
  { store, clock, hints }: Context,
): Promise<Published> {
  const { project, name } = workflow;
  const hash = fingerprint(workflow);
  const live = await store.readWorkflow({ project, name });
  const diff = live ? differences(live.workflow, workflow) : [];
  const changed = !live || fingerprint(live.workflow) !== hash;
  const answer = { project, name, changed, created: !live, diff };
  if (!changed || dryRun) return { ...answer, version: changed ? null : live.version };
  const now = clock.now();
  const due = Object.fromEntries(
    workflow.schedules.map((spec) => [spec.name, nextTick(timingOf(spec, 0), now) ?? null]),
  );
  const { version } = await store.publishWorkflow({
    workflow,
    hash,
    source: text,
    note,
    author: 'api',
    due,
    now,
  });
  if (workflow.schedules.length > 0 || live?.workflow.schedules.length) hints.schedulesChanged?.();
  return { ...answer, version };
}

/** Tasks of a type that no worker knows: they would wait for ever. */
function unknownTypes({ tasks }: Workflow, { taskTypes }: Context): InputProblem[] {
  const known = taskTypes().map(({ name }) => name);
  return tasks.flatMap(({ name, type }, i) => {
    if (isLogicType(type) || known.includes(type)) return [];
    const message = `task "${name}" has the unknown type "${type}"${didYouMean(type, known)}`;
    return [{ path: ['tasks', i, 'type'], code: 'unknown-type', message }];
  });
}
