/** `orrery groups`: task groups, the holders of their slots, and their queues. */
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, fromNow, printDeleted, printJson, printTable, table } from './output.ts';
import { nameOf } from './workflow-name.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists them. */
export async function listGroups(options: Options & { readonly project?: string }): Promise<void> {
  const answer = await connect(options).listTaskGroups({ project: options.project });
  printTable(
    answer,
    options,
    'no task groups',
    ['GROUP', 'SLOTS', 'WAITING'],
    answer.taskGroups.map(({ project, name, slots, held, waiting }) => [
      `${project}/${name}`,
      `${held}/${slots}`,
      String(waiting),
    ]),
  );
}

/** Shows the holders of a group's slots, and its queue in order. */
export async function showGroup(group: string, options: Options): Promise<void> {
  print(await connect(options).showTaskGroup(nameOf(group, 'task group')), options);
}

/** Makes a group or sets its slots. */
export async function setGroup(group: string, options: Options & { readonly slots: string }): Promise<void> {
  const slots = numberOf(options.slots, 'a number of slots', 0);
  print(await connect(options).setTaskGroup({ ...nameOf(group, 'task group'), body: { slots } }), options);
}

/** Deletes a group. */
export async function deleteGroup(group: string, options: Options): Promise<void> {
  await connect(options).deleteTaskGroup(nameOf(group, 'task group'));
  printDeleted('task group', group, options);
}

type Shown = Awaited<ReturnType<ReturnType<typeof connect>['showTaskGroup']>>;

function print(group: Shown, { json }: Options): void {
  if (json) {
    printJson(group);
    return;
  }
  const { project, name, slots, held, waiting, holders, waiters } = group;
  console.log(faint(`${project}/${name}: ${held} of ${slots} slots taken, ${waiting} waiting`));
  if (holders.length + waiters.length === 0) return;
  console.log(
    table(
      ['TASK RUN', 'PLACE', 'SINCE'],
      [
        ...holders.map(({ taskRun }) => [taskRun, 'has a slot', '-']),
        ...waiters.map(({ taskRun, since }, k) => [taskRun, `waits, ${k} before it`, fromNow(since)]),
      ],
    ),
  );
}
