/** Changing a schedule: a new version of its workflow in which nothing else differs, live at once. */

import type { ReadInput } from '@orrery/contract';
import { editSchedule, type Problem } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Conflict, type NamedSchedule } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { Changed, Refusal } from '../problem.ts';
import { findWorkflow } from '../workflows/find.ts';
import { publishOne } from '../workflows/publish.ts';
import { surroundingsOf } from '../workflows/surroundings.ts';
import { parseFile } from '../workflows/work.ts';
import { showSchedule } from './show.ts';

/** Changes a schedule, or in a dry run only returns the changed schedule. Returns it after the change. */
export async function updateSchedule(
  context: Context,
  schedule: NamedSchedule,
  { note, dryRun, ...edit }: ReadInput<'updateSchedule'>['body'],
  identity: Identity,
): Promise<NamedSchedule> {
  const { store, clock } = context;
  const name = { project: schedule.project, name: schedule.workflowName };
  const live = await findWorkflow(store, name, 'not-found');
  const source = await store.readSource({ workflow: live.id, version: live.version });
  if (!source) throw new Refusal('not-found', said('none.workflowText'));
  // A paused schedule stays paused, even if the file enables it.
  const enabled = edit.enabled ?? schedule.enabled;
  const written = edit.enabled ?? (schedule.spec.enabled === undefined ? undefined : enabled);
  const changed = editSchedule(source.source, live.workflow, schedule.name, { ...edit, enabled: written });
  const { workflows, problems } = await parseFile(changed.text, await surroundingsOf(context, identity));
  refuse(problems, changed.path);
  const [workflow] = workflows;
  if (dryRun) {
    const spec = workflow.schedules.find((one) => one.name === schedule.name) ?? schedule.spec;
    return { ...schedule, spec: await store.readHolidays({ project: name.project, spec }), enabled };
  }
  const request = {
    text: changed.text,
    dryRun: false,
    note: note ?? `schedule ${schedule.name} changed`,
    identity,
    source: 'api',
    base: live.version,
  } as const;
  await publishOne(workflow, request, context).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
    throw new Changed(error.said ?? error.message, showSchedule(schedule, clock.now()));
  });
  return { ...schedule, ...(await store.readSchedule({ id: schedule.id })) };
}

/** Problems, with their place in the schedule where they are in it. */
function refuse(problems: readonly Problem[], path: readonly (string | number)[]): void {
  if (problems.length === 0) return;
  const told = problems.map((problem) => ({
    path: path.every((key, k) => problem.path[k] === key) ? problem.path.slice(path.length) : problem.path,
    message: problem.message,
  }));
  const text = told.map((each) => [...each.path, each.message].join(': ')).join('; ');
  throw new Refusal('not-accepted', text, told);
}
