/**
 * Checks that the environments, groups and calendars of tasks and schedules exist where the workflow is
 * published.
 */

import { said } from '../../texts/index.ts';
import { isLogicType } from '../glossary.ts';
import { hintFor } from '../nearest.ts';
import { entryAt, type Found, type Outline, type TaskOutline } from '../outline.ts';
import type { Path, Report } from '../problem.ts';
import { projectOf, type Surroundings } from '../surroundings.ts';
import { isOpenTo } from '../uses.ts';

/** Reports missing environments and task groups, and those restricted to other workers or projects. */
export function checkSurroundings(outline: Outline, found: Surroundings, report: Report): void {
  const { keys, tasks } = outline;
  const { environments, taskGroups, calendars, workerGroups = {} } = found;
  const project = projectOf(keys);
  if (environments) {
    checkEnvironment(keys, ['environment'], project, environments, report);
    for (const task of tasks)
      checkEnvironment(task.keys, [...task.path, 'environment'], project, environments, report);
    for (const task of tasks) checkWorkers(task, keys, environments, report);
  }
  for (const task of tasks) checkWorkerGroup(task, keys, project, workerGroups, report);
  const groups = taskGroups && (taskGroups[project] ?? []);
  if (groups) for (const task of tasks) checkGroup(task, groups, report);
  const named = calendars && (calendars[project] ?? []);
  if (named) for (const schedule of outline.schedules) checkCalendar(schedule, named, report);
}

type Environments = NonNullable<Surroundings['environments']>;

function checkEnvironment(
  { environment }: Readonly<Record<string, unknown>>,
  path: Path,
  project: string,
  known: Environments,
  report: Report,
): void {
  if (typeof environment !== 'string') return;
  if (Object.hasOwn(known, environment)) {
    if (!isOpenTo(known[environment].projects, project))
      report(path, 'wrong-project', said('file.environmentClosed', { environment, project }));
    return;
  }
  const hint =
    hintFor(environment, Object.keys(known)) || said('hint.make', { command: 'orrery environments set' });
  report(path, 'unknown-environment', said('file.noEnvironment', { environment, hint }));
}

/** An environment of some worker groups cannot be used by a task of another group. */
function checkWorkers(task: TaskOutline, whole: Outline['keys'], known: Environments, report: Report): void {
  const { environment = whole.environment, workerGroup = whole.workerGroup ?? 'default' } = task.keys;
  if (typeof environment !== 'string' || !Object.hasOwn(known, environment)) return;
  const { workerGroups } = known[environment];
  if (workerGroups.length === 0 || workerGroups.includes(String(workerGroup))) return;
  report(
    [...task.path, task.keys.workerGroup === undefined ? 'environment' : 'workerGroup'],
    'wrong-worker-group',
    said('file.environmentOfOthers', {
      environment,
      groups: workerGroups,
      task: task.name ?? '',
      group: String(workerGroup),
    }),
  );
}

/** A worker group restricted to some projects takes no task of another project. */
function checkWorkerGroup(
  { keys, path, type }: TaskOutline,
  whole: Outline['keys'],
  project: string,
  known: NonNullable<Surroundings['workerGroups']>,
  report: Report,
): void {
  const group = String(keys.workerGroup ?? whole.workerGroup ?? 'default');
  if (type === undefined || isLogicType(type) || !Object.hasOwn(known, group)) return;
  if (isOpenTo(known[group], project)) return;
  report(
    keys.workerGroup === undefined ? path : [...path, 'workerGroup'],
    'wrong-project',
    said('file.workerGroupClosed', { group, project }),
  );
}

function checkGroup({ keys, path }: TaskOutline, known: readonly string[], report: Report): void {
  const { group } = keys;
  const name = typeof group === 'object' && group !== null && 'name' in group ? group.name : group;
  if (typeof name !== 'string' || known.includes(name)) return;
  const hint = hintFor(name, [...known]) || said('hint.make', { command: 'orrery groups set' });
  report([...path, 'group'], 'unknown-task-group', said('file.noTaskGroup', { name, hint }));
}

function checkCalendar(schedule: Found, known: readonly string[], report: Report): void {
  const { value: name, path } = entryAt(schedule, 'calendar');
  if (typeof name !== 'string' || known.includes(name)) return;
  const hint = hintFor(name, [...known]) || said('hint.make', { command: 'orrery calendars set' });
  report(path, 'unknown-calendar', said('file.noCalendar', { name, hint }));
}
