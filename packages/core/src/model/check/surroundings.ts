/** Does what tasks are to run in and wait for exist where the workflow is published. */
import { didYouMean } from '../nearest.ts';
import type { Outline, TaskOutline } from '../outline.ts';
import type { Path, Report } from '../problem.ts';
import { projectOf, type Surroundings } from '../surroundings.ts';

/** Reports environments and task groups that are not there, and environments for other workers. */
export function checkSurroundings(outline: Outline, found: Surroundings, report: Report): void {
  const { keys, tasks } = outline;
  const { environments, taskGroups } = found;
  if (environments) {
    checkEnvironment(keys, ['environment'], environments, report);
    for (const task of tasks)
      checkEnvironment(task.keys, [...task.path, 'environment'], environments, report);
    for (const task of tasks) checkWorkers(task, keys, environments, report);
  }
  const groups = taskGroups && (taskGroups[projectOf(keys)] ?? []);
  if (groups) for (const task of tasks) checkGroup(task, groups, report);
}

type Environments = NonNullable<Surroundings['environments']>;

function checkEnvironment(
  { environment }: Readonly<Record<string, unknown>>,
  path: Path,
  known: Environments,
  report: Report,
): void {
  if (typeof environment !== 'string' || Object.hasOwn(known, environment)) return;
  const hint = didYouMean(environment, Object.keys(known)) || '; make it with "orrery environments set"';
  report(path, 'unknown-environment', `there is no environment "${environment}"${hint}`);
}

/** An environment for some worker groups is of no use to a task of another. */
function checkWorkers(task: TaskOutline, whole: Outline['keys'], known: Environments, report: Report): void {
  const { environment = whole.environment, workerGroup = whole.workerGroup ?? 'default' } = task.keys;
  if (typeof environment !== 'string' || !Object.hasOwn(known, environment)) return;
  const { workerGroups } = known[environment];
  if (workerGroups.length === 0 || workerGroups.includes(String(workerGroup))) return;
  const groups = workerGroups.join(', ');
  report(
    [...task.path, task.keys.workerGroup === undefined ? 'environment' : 'workerGroup'],
    'wrong-worker-group',
    `environment "${environment}" is for worker group ${groups}, and task "${task.name}" is for ${workerGroup}`,
  );
}

function checkGroup({ keys, path }: TaskOutline, known: readonly string[], report: Report): void {
  const { group } = keys;
  const name = typeof group === 'object' && group !== null && 'name' in group ? group.name : group;
  if (typeof name !== 'string' || known.includes(name)) return;
  const hint = didYouMean(name, [...known]) || '; make it with "orrery groups set"';
  report([...path, 'group'], 'unknown-task-group', `there is no task group "${name}"${hint}`);
}
