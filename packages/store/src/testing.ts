/** Building blocks of the store's tests: a master, a worker, runs in the queue, and changes with nothing in them. */
import type { ScheduleSpec, Workflow } from '@orrery/core/model';
import type { RunFields } from '@orrery/core/run';
import type {
  AttemptRef,
  ClaimedStart,
  Command,
  DrainAnswer,
  OutcomeRow,
  ReadyRow,
  RunChange,
  Self,
  Store,
  ToldMessage,
} from './index.ts';

/** When everything happens, unless a test says otherwise. */
export const NOW = 1_000_000;

/** Joins a master. */
export async function joinMaster(store: Store, id = 'm1', now = NOW): Promise<Self> {
  const { epoch } = await store.joinNode({ id, roles: ['master'], address: `${id}:1`, info: {}, now });
  return { node: id, epoch };
}

/** Joins a worker; its epoch. */
export async function joinWorker(
  store: Store,
  self: Self,
  worker = 'w1',
  {
    slots = 100,
    groups = ['default'],
    ...resources
  }: { slots?: number; groups?: readonly string[]; cores?: number; memory?: number } = {},
): Promise<number> {
  const address = `${worker}:1`;
  return (await store.joinWorker({ self, worker, address, slots, groups, ...resources, now: NOW })).epoch;
}

/** Publishes a workflow with nothing but a name, and schedules where given; its id. */
export async function publish(
  store: Store,
  name = 'flow',
  schedules: readonly ScheduleSpec[] = [],
): Promise<number> {
  const due = Object.fromEntries(schedules.map((schedule) => [schedule.name, NOW + 1_000]));
  const { id } = await store.publishWorkflow({
    workflow: workflowOf(name, schedules),
    hash: JSON.stringify([name, schedules]),
    source: '',
    note: '',
    author: 'someone',
    due,
    now: NOW,
  });
  return id;
}

/** A workflow as far as the store looks into it. */
export function workflowOf(name: string, schedules: readonly ScheduleSpec[] = []): Workflow {
  const workerGroup = 'default';
  return { project: 'default', name, workerGroup, schedules, triggers: [], tasks: [] } as unknown as Workflow;
}

/** A schedule that fires every second. */
export function scheduleOf(name = 'often', enabled = true): ScheduleSpec {
  return {
    name,
    every: 1_000,
    timezone: 'UTC',
    misfire: { policy: 'fire-all', threshold: 60_000 },
    params: {},
    enabled,
  };
}

/** A command for a run of a workflow. */
export function commandOf(workflow: number, more: Partial<Command> = {}): Command {
  return {
    workflow,
    version: 1,
    project: 'default',
    name: 'flow',
    priority: 2,
    kind: 'normal',
    trigger: 'manual',
    request: {
      project: 'default',
      priority: 'medium',
      onFailure: 'continue',
      businessTime: 0,
      timezone: 'UTC',
      dryRun: false,
      depth: 0,
    },
    params: {},
    scope: { kind: 'all', tasks: [] },
    ...more,
  };
}

/** Starts runs and has a master own them; their ids. */
export async function startRuns(
  store: Store,
  self: Self,
  count = 1,
  more: Partial<Command> = {},
): Promise<number[]> {
  const workflow = more.workflow ?? (await publish(store));
  const commands = Array.from({ length: count }, () => commandOf(workflow, more));
  await store.submitCommands({ commands, now: NOW });
  return (await claimStarts(store, self, count)).map(({ run }) => run);
}

/** Claims commands. */
export async function claimStarts(store: Store, self: Self, limit: number): Promise<readonly ClaimedStart[]> {
  return (await store.claimWork({ self, orphans: 0, starts: limit, now: NOW })).starts;
}

/** Claims runs that nobody owns and that were told something. */
export async function claimOrphans(store: Store, self: Self, limit: number): Promise<readonly number[]> {
  return (await store.claimWork({ self, orphans: limit, starts: 0, now: NOW })).orphans;
}

/** What the runs of a master were told. */
export async function readInboxes(store: Store, self: Self): Promise<readonly ToldMessage[]> {
  return (await store.claimWork({ self, orphans: 0, starts: 0, now: NOW })).messages;
}

/** A change of a run that changes nothing yet. */
export function changeOf(run: number, more: Partial<RunChange> = {}): RunChange {
  return {
    run,
    revision: 0,
    tasks: [],
    enqueue: [],
    withdraw: [],
    outcomes: [],
    consumed: [],
    commands: [],
    messages: [],
    release: false,
    event: '{}',
    ...more,
  };
}

/** Commits changes. */
export function commit(store: Store, self: Self, ...changes: readonly RunChange[]) {
  return store.commitRuns({ self, changes, now: NOW });
}

/** The fields of a run in a state. */
export function fieldsOf(state: RunFields['state']): RunFields {
  return { state, since: NOW, round: 1, roundKind: 'start', roundStarted: NOW, picked: [], params: {} };
}

/** An attempt without shards. */
export function attemptOf(run: number, task = 0, number = 1): AttemptRef {
  return { run, task, shard: -1, number };
}

/** A row for the ready queue. */
export function readyOf(attempt: AttemptRef, more: Partial<ReadyRow> = {}): ReadyRow {
  return {
    ...attempt,
    workerGroup: 'default',
    runPriority: 2,
    taskPriority: 2,
    payload: `{"attempt":"${attempt.run}.${attempt.task}.${attempt.number}"}`,
    ...more,
  };
}

/** What a worker says of an attempt. */
export function outcomeOf(
  attempt: AttemptRef,
  workerEpoch: number,
  more: Partial<OutcomeRow> = {},
): OutcomeRow {
  return {
    ...attempt,
    worker: 'w1',
    workerEpoch,
    state: 'success',
    late: false,
    startedAt: NOW,
    endedAt: NOW + 5,
    exitCode: 0,
    cpuTime: 1,
    peakMemory: 2,
    error: null,
    logTail: null,
    ...more,
  };
}

/** Takes work for a worker. */
export function takeFor(
  store: Store,
  self: Self,
  epoch: number,
  number: number,
  more: { worker?: string; room?: number; waiting?: number; groups?: readonly string[] } = {},
) {
  const { worker = 'w1', room = 100, groups = ['default'], waiting } = more;
  return store.take({ self, worker, epoch, number, room, waiting, groups, now: NOW });
}

/** Drains a node, or has it take work again. */
export function drain(store: Store, node: string, drained = true): Promise<DrainAnswer> {
  return store.drainNode({
    node,
    drain: drained,
    timeout: 0,
    silentAfter: 10_000,
    actor: 'someone',
    now: NOW,
  });
}
