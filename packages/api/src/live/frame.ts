/**
 * A frame: the current state of everything that changed, by topic. It is built once for all listeners: rows
 * are read once, and each event is serialized once for each role among the listeners.
 */
import type { LiveEvent, ManyPatch } from '@orrery/contract/live';
import type { Role } from '@orrery/contract/roles';
import type { Store } from '@orrery/store';
import { withActionsFor } from '../access/actions.ts';
import type { Identity } from '../access/identity.ts';
import type { Changes } from './changes.ts';
import { addRuns } from './run-changes.ts';
import { addAlerts, addBulks, addNodes, addSchedules, addWorkflows } from './thing-changes.ts';

/** An event, and the callers who may see it. */
interface Entry {
  /** Undefined: everybody. */
  readonly project?: string;
  /** Undefined: everybody. */
  readonly token?: number;
  readonly event: LiveEvent;
  /** The event for callers who may see only one project. */
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

  /** Adds an event; `who` restricts who may see it. */
  add(event: LiveEvent, who: Omit<Entry, 'event' | 'texts'> = {}): void {
    const entry = { ...who, event, texts: new Map<string, string>() };
    const known = this.entries.get(event.topic);
    if (known) known.push(entry);
    else this.entries.set(event.topic, [entry]);
  }

  /** Reports only that many things changed. The count goes only to callers who may see all of them. */
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

/** Builds the frame of changes for listeners of `topics`. */
export async function makeFrame(store: Store, changes: Changes, topics: ReadonlySet<string>): Promise<Frame> {
  const frame = new Frame();
  await addRuns(frame, store, changes, topics);
  await addWorkflows(frame, store, changes, topics);
  await addSchedules(frame, store, changes, topics);
  await addBulks(frame, store, changes, topics);
  if (topics.has('cluster')) addNodes(frame, changes);
  if (topics.has('alerts')) addAlerts(frame, changes);
  if (topics.has('me')) {
    for (const [token, what] of changes.access)
      frame.add({ topic: 'me', kind: 'me', id: '', version: 0, patch: { what } }, { token });
  }
  return frame;
}
