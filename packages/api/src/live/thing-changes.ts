/** Changes of workflows, schedules, bulks, nodes and alerts as events. */
import { liveRules } from '@orrery/contract/live';
import type { Store, WorkflowState } from '@orrery/store';
import { showBulk } from '../bulks/show.ts';
import { optionalTime, timeText } from '../time.ts';
import type { Changes } from './changes.ts';
import type { Frame } from './frame.ts';

/** Adds the workflows that were published, deleted or drafted. */
export async function addWorkflows(
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
  for (const { project, name, live, draft, offlineSince } of await store.readWorkflowsById({
    ids: [...workflows],
  })) {
    const id = `${project}/${name}`;
    for (const topic of ['workflows', `workflow:${id}`]) {
      if (topics.has(topic))
        frame.add(
          {
            topic,
            kind: 'workflow',
            id,
            version: live ?? 0,
            patch: { version: live, draft, offlineSince: optionalTime(offlineSince) },
          },
          { project },
        );
    }
  }
}

/** Adds schedules that were changed or fired; a deleted one is marked as gone. */
export async function addSchedules(
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

/** No project has this name: events under it are for callers who see all projects. */
const EVERY = '';

/** Adds bulks that made progress; few are ever watched. */
export async function addBulks(
  frame: Frame,
  store: Store,
  { bulks }: Changes,
  topics: ReadonlySet<string>,
): Promise<void> {
  const ids = [...bulks].filter((id) => topics.has(`bulk:${id}`));
  for (const bulk of await store.readBulks({ ids })) {
    const { id, revision, project } = bulk;
    const event = {
      topic: `bulk:${id}`,
      kind: 'bulk',
      id,
      version: revision,
      patch: showBulk(bulk),
    } as const;
    frame.add(event, { project: project ?? EVERY });
  }
}

/** Adds masters and workers: the last thing that happened to each. */
export function addNodes(frame: Frame, { nodes }: Changes): void {
  const topic = 'cluster';
  if (nodes.size > liveRules.mostIds) {
    frame.addMany(topic, nodes.size);
    return;
  }
  for (const { role, id, what, version } of nodes.values())
    frame.add({ topic, kind: 'node', id, version, patch: { role, what } });
}

/** Adds alerts, each for callers who may see its project. */
export function addAlerts(frame: Frame, { alerts }: Changes): void {
  const topic = 'alerts';
  if (alerts.size > liveRules.mostIds) {
    frame.addMany(topic, alerts.size);
    return;
  }
  for (const [id, patch] of alerts)
    frame.add({ topic, kind: 'alert', id, version: 0, patch }, { project: patch.project });
}
