/**
 * The changes in a section of the feed, each thing once: a run that changed a hundred times is listed once.
 * Details are read only for things that a listener follows closely.
 */
import type { AlertPatch } from '@orrery/contract/live';
import type { FeedEvent, FeedPosition, Store } from '@orrery/store';

/** Events of one writer that are read at once. */
const PAGE = 2_000;

/** Pages read for one frame; a reader that is further behind goes on with the next frame. */
const MOST_PAGES = 5;

/** What changed. */
export interface Changes {
  /** Runs, and of those that are watched the tasks of them. */
  readonly runs: Map<number, Set<number>>;
  readonly workflows: Set<number>;
  readonly schedules: Set<number>;
  readonly bulks: Set<number>;
  /** Masters and workers by role and name: the last thing that happened to each. */
  readonly nodes: Map<string, { role: 'master' | 'worker'; id: string; what: string; version: number }>;
  /** Alerts that were raised. */
  readonly alerts: Map<number, AlertPatch>;
  /** Callers by the number of their token. */
  readonly access: Map<number, 'preferences' | 'rights'>;
}

/** A stretch of the feed. */
export interface Stretch {
  readonly changes: Changes;
  readonly position: FeedPosition;
  /** The start of the section is no longer stored, or it is too long: the changes are unknown. */
  readonly resync: boolean;
  /** There is more to read at once. */
  readonly more: boolean;
  /** When the first of what was read happened; undefined if nothing was. */
  readonly since: number | undefined;
}

/** Reads what changed since a position. */
export async function readChanges(
  store: Store,
  from: FeedPosition | undefined,
  isWatched: (run: number) => boolean,
): Promise<Stretch> {
  const changes = noChanges();
  let position = from;
  let since: number | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await store.readFeed({ position, limit: PAGE });
    position = answer.position;
    if (answer.resync) return { changes: noChanges(), position, resync: true, more: false, since: undefined };
    for (const event of answer.events) {
      since = Math.min(since ?? event.createdAt, event.createdAt);
      note(changes, event, isWatched);
    }
    if (answer.events.length < PAGE) return { changes, position, resync: false, more: false, since };
  }
  return { changes, position: position ?? {}, resync: false, more: true, since };
}

function noChanges(): Changes {
  return {
    runs: new Map(),
    workflows: new Set(),
    schedules: new Set(),
    bulks: new Set(),
    nodes: new Map(),
    alerts: new Map(),
    access: new Map(),
  };
}

function note(changes: Changes, event: FeedEvent, isWatched: (run: number) => boolean): void {
  const { topic, subject, revision, body } = event;
  switch (topic) {
    case 'run': {
      const tasks = changes.runs.get(subject) ?? new Set<number>();
      changes.runs.set(subject, tasks);
      if (isWatched(subject)) for (const task of JSON.parse(body).tasks ?? []) tasks.add(task);
      return;
    }
    case 'workflow':
    case 'draft':
      changes.workflows.add(subject);
      return;
    case 'schedule':
      changes.schedules.add(subject);
      return;
    case 'bulk':
      changes.bulks.add(subject);
      return;
    case 'node':
    case 'worker': {
      const { id, what } = JSON.parse(body);
      const role = topic === 'node' ? 'master' : 'worker';
      changes.nodes.set(`${role} ${id}`, { role, id, what, version: revision });
      return;
    }
    case 'alert': {
      const { kind, project, name: workflow, run, text } = JSON.parse(body);
      changes.alerts.set(subject, { kind, project, workflow, run, text });
      return;
    }
    case 'access':
      changes.access.set(subject, JSON.parse(body).what);
      return;
  }
}
