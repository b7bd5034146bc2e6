/**
 * A frame: what changed, as the present state of it, by topic. It is made once for all listeners: the rows are read
 * once, and each event becomes text once for each role that somebody listens with.
 */
import {
  type LiveEvent,
  liveRules,
  type ManyPatch,
  type RunPatch,
  type TaskColumns,
} from '@orrery/core/contract/live';
import type { Role } from '@orrery/core/contract/roles';
import type { RunRevision, Store, WorkflowState } from '@orrery/store';
import { withActionsFor } from '../access/actions.ts';
import type { Identity } from '../access/identity.ts';
import { taskRunOf } from '../runs/read.ts';
import { errorOf, shownState, showRows } from '../runs/show-row.ts';
import { dueOf } from '../runs/show-task.ts';
import { optionalTime, timeText } from '../time.ts';
import type { Changes } from './changes.ts';

/** One event, and who may see it. */
interface Entry {
  /** Undefined: everybody. */
  readonly project?: string;
  /** Undefined: everybody. */
  readonly token?: number;
  readonly event: LiveEvent;
  /** The same for those who may see only one project. */
  readonly narrow?: LiveEvent;
  /** Its text by role, made when it is first wanted: what can be done with a thing depends on it. */
  readonly texts: Map<string, string>;
}

/** Events by topic. */
export class Frame {
  private readonly entries = new Map<string, Entry[]>();

  /** The texts of the events on these topics that the caller may see. */
  textsFor(topics: readonly string[], { project, token, role }: Identity): string[] {
    return topics
      .flatMap((topic) => this.entries.get(topic) ?? [])
      .filter(
        (entry) =>
          (entry.token === undefined || entry.token === token) &&
          (entry.project === undefined || project === null || entry.project === project),
      )
      .map((entry) => textOf(entry, role, project !== null));
  }

  /** Adds an event; `who` says who may see it. */
  add(event: LiveEvent, who: Omit<Entry, 'event' | 'texts'> = {}): void {
    const entry = { ...who, event, texts: new Map<string, string>() };
    const known = this.entries.get(event.topic);
    if (known) known.push(entry);
    else this.entries.set(event.topic, [entry]);
  }

  /** Says only that much changed; how much, only to those who may see all of it. */
  addMany(topic: string, count: number): void {
    const event = (patch: ManyPatch): LiveEvent => ({ topic, kind: 'many', id: null, version: 0, patch });
    this.add(event({ count }), { narrow: event({ count: null }) });
  }
}

function textOf({ event, narrow = event, texts }: Entry, role: Role, isNarrow: boolean): string {
  const key = isNarrow ? `${role} of one project` : role;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const shown = isNarrow ? narrow : event;
  const text = JSON.stringify({ ...shown, patch: withActionsFor(role, shown.patch) });
  texts.set(key, text);
  return text;
}

/** Makes the frame of some changes for those who listen to `topics`. */
export async function makeFrame(store: Store, changes: Changes, topics: ReadonlySet<string>): Promise<Frame> {
  const frame = new Frame();
  await addRuns(frame, store, changes, topics);
  await addWorkflows(frame, store, changes, topics);
  await addSchedules(frame, store, changes, topics);
  if (topics.has('cluster')) addNodes(frame, changes);
  if (topics.has('me')) {
    for (const [token, what] of changes.access)
      frame.add({ topic: 'me', kind: 'me', id: '', version: 0, patch: { what } }, { token });
  }
  return frame;
}

async function addRuns(
  frame: Frame,
  store: Store,
  { runs }: Changes,
  topics: ReadonlySet<string>,
): Promise<void> {
  const watched = [...runs.keys()].filter((id) => topics.has(`run:${id}`));
  const wide = [...topics].filter((topic) => topic === 'runs' || topic.startsWith('workflow:'));
  const all = wide.length > 0 && runs.size <= liveRules.mostIds;
  const ids = all ? [...runs.keys()] : watched.slice(0, liveRules.mostIds);
  if (wide.length > 0 && !all) for (const topic of wide) frame.addMany(topic, runs.size);
  for (const id of watched.slice(ids.length)) frame.addMany(`run:${id}`, 1);
  if (ids.length === 0) return;
  const found = await store.readRunsById({ ids });
  const add = (patch: RunPatch, version: number) => {
    const { id, project, name } = patch;
    for (const topic of [...(all ? ['runs', `workflow:${project}/${name}`] : []), `run:${id}`]) {
      if (topics.has(topic)) frame.add({ topic, kind: 'run', id, version, patch }, { project });
    }
  };
  const listed = await store.readListed({ ids: found.runs.map(({ id }) => id) });
  const revisions = new Map(listed.map(({ run, revision }) => [run.id, revision]));
  const queued = found.queued.map(({ run, ...start }) => ({ id: run, ...start }));
  for (const row of await showRows(store, listed, queued)) add(row, revisions.get(row.id) ?? 0);
  await addTasks(frame, store, runs, found.runs, new Set(watched));
}

async function addTasks(
  frame: Frame,
  store: Store,
  changed: Changes['runs'],
  rows: readonly RunRevision[],
  watched: ReadonlySet<number>,
): Promise<void> {
  const wanted: { run: number; task: number }[] = [];
  for (const { id, project } of rows) {
    const tasks = watched.has(id) ? changed.get(id) : undefined;
    if (tasks === undefined || tasks.size === 0) continue;
    if (tasks.size <= liveRules.mostIds) wanted.push(...[...tasks].map((task) => ({ run: id, task })));
    else
      frame.add(
        { topic: `run:${id}`, kind: 'many', id: null, version: 0, patch: { count: tasks.size } },
        { project },
      );
  }
  if (wanted.length === 0) return;
  const found = Map.groupBy(await store.readTaskRuns({ tasks: wanted }), ({ run }) => run);
  for (const { id, project, revision, round } of rows) {
    const tasks = found.get(id);
    if (tasks === undefined) continue;
    const patch = columnsOf(tasks, round);
    frame.add({ topic: `run:${id}`, kind: 'tasks', id, version: revision, patch }, { project });
  }
}

function columnsOf(rows: Awaited<ReturnType<Store['readTaskRuns']>>, round: number): TaskColumns {
  const tasks = rows.map((row) => ({ index: row.task, task: taskRunOf(row) }));
  const column = <T>(of: (entry: (typeof tasks)[number]) => T): T[] => tasks.map(of);
  return {
    index: column(({ index }) => index),
    state: column(({ task }) => shownState(task.state, task.round, round)),
    since: column(({ task }) => timeText(task.since)),
    round: column(({ task }) => task.round),
    attempt: column(({ task }) => task.shards.reduce((most, { attempt }) => Math.max(most, attempt), 0)),
    workers: column(({ task }) => [...new Set(task.shards.flatMap(({ worker }) => worker ?? []))]),
    reason: column(({ task }) => errorOf(task)),
    due: column(({ task }) => optionalTime(dueOf(task))),
    forced: column(({ task }) => task.forced ?? false),
  };
}

async function addWorkflows(
  frame: Frame,
  store: Store,
  { workflows }: Changes,
  topics: ReadonlySet<string>,
): Promise<void> {
  if (workflows.size === 0) return;
  const one = [...topics].filter((topic) => topic.startsWith('workflow:'));
  if (one.length === 0 && !topics.has('workflows')) return;
  if (workflows.size > liveRules.mostIds) {
    for (const topic of ['workflows', ...one]) frame.addMany(topic, workflows.size);
    return;
  }
  for (const { project, name, live, draft } of await store.readWorkflowsById({ ids: [...workflows] })) {
    const id = `${project}/${name}`;
    for (const topic of ['workflows', `workflow:${id}`]) {
      if (topics.has(topic))
        frame.add(
          { topic, kind: 'workflow', id, version: live ?? 0, patch: { version: live, draft } },
          { project },
        );
    }
  }
}

async function addSchedules(
  frame: Frame,
  store: Store,
  { schedules }: Changes,
  topics: ReadonlySet<string>,
): Promise<void> {
  const topic = 'schedules';
  if (schedules.size === 0 || !topics.has(topic)) return;
  if (schedules.size > liveRules.mostIds) return frame.addMany(topic, schedules.size);
  const rows = await store.readSchedulesById({ ids: [...schedules] });
  const ids = [...new Set(rows.map(({ workflow }) => workflow))];
  const workflows = new Map(
    (await store.readWorkflowsById({ ids })).map((row): [number, WorkflowState] => [row.id, row]),
  );
  const present = new Set<number>();
  for (const { id, workflow, name, enabled, version, nextDue, firedUntil } of rows) {
    const of = workflows.get(workflow);
    if (!of) continue;
    present.add(id);
    const patch = {
      project: of.project,
      workflow: of.name,
      name,
      state: enabled === 1 ? 'on' : 'paused',
      nextDue: optionalTime(nextDue),
      firedUntil: timeText(firedUntil),
    } as const;
    frame.add({ topic, kind: 'schedule', id, version, patch }, { project: of.project });
  }
  for (const id of schedules) {
    if (!present.has(id)) frame.add({ topic, kind: 'gone', id, version: 0, patch: null });
  }
}

function addNodes(frame: Frame, { nodes }: Changes): void {
  const topic = 'cluster';
  if (nodes.size > liveRules.mostIds) {
    frame.addMany(topic, nodes.size);
    return;
  }
  for (const { role, id, what, version } of nodes.values())
    frame.add({ topic, kind: 'node', id, version, patch: { role, what } });
}
