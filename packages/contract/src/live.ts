/**
 * Live changes, streamed by `GET /api/v1/events?topics=runs,run:12` as server-sent events. Plain data and
 * types: browsers load this file as it is. Every REST answer carries `Orrery-Seq`, taken before its data was
 * read. A stream that starts there (`?after=`, or `Last-Event-ID` on reconnect) misses nothing in between.
 */
import type { Answer } from './operation.ts';

/** The header of every REST answer. Its value is opaque and equals the id of a message in a stream. */
export const seqHeader = 'orrery-seq';

/** Topics to subscribe to; `{…}` stands for the id of one thing, as REST writes it. */
export const topicForms = {
  runs: 'runs of every workflow: started, changed, ended',
  'run:{id}': 'one run and its task runs',
  'workflow:{project}/{name}': 'one workflow: its runs, publishes and draft',
  workflows: 'workflows: published, deleted, their drafts',
  schedules: 'schedules: changed, paused, resumed, fired',
  'bulk:{id}': 'one change of many runs: how far it has come',
  cluster: 'masters and workers: joined, left, lost',
  alerts: 'alerts: raised',
  me: 'the caller: preferences, rights, the end of its token',
} as const;

/** Limits and timing of the stream; the console relies on these values. */
export const liveRules = {
  /** Limit of frames per connection and second; each has the latest state of every id. */
  framesPerSecond: 20,
  /** A frame with more ids than this has one `many` event for the topic instead of their events. */
  mostIds: 500,
  /** Interval of comments in milliseconds, which reveal a broken connection. */
  beatEvery: 15_000,
  /** Milliseconds before reconnecting, also sent in the stream. */
  retry: 1_000,
  /** Limit of topics per connection. */
  mostTopics: 100,
} as const;

/**
 * Messages of the stream, by the name of the SSE event. The id of each is its `seq`. `hello` comes first:
 * nothing is missed from there on. `frame` carries changes. `resync` means that changes were dropped, because
 * the position is older than the stored feed or the reader was too slow: read everything shown again.
 */
export interface LiveMessages {
  readonly hello: { readonly seq: string; readonly topics: readonly string[] };
  readonly frame: { readonly seq: string; readonly events: readonly LiveEvent[] };
  readonly resync: { readonly seq: string };
}

/** The names of the messages. */
export type LiveMessage = keyof LiveMessages;

/**
 * One change. A patch has whole values read after the change, so applying one twice is harmless: drop an
 * event only if its `version` is smaller than that of the last one with the same id.
 */
export type LiveEvent =
  | Change<'run', number, RunPatch>
  | Change<'tasks', number, TaskColumns>
  | Change<'schedule', number, SchedulePatch>
  | Change<'workflow', string, WorkflowPatch>
  | Change<'bulk', number, BulkPatch>
  | Change<'node', string, NodePatch>
  | Change<'alert', number, AlertPatch>
  | Change<'me', '', MePatch>
  | Change<'gone', number, null>
  | Change<'many', null, ManyPatch>;

/** Fields of all changes. `topic` is the subscribed topic. Kind `gone`: the thing no longer exists. */
interface Change<Kind extends string, Id, Patch> {
  readonly topic: string;
  readonly kind: Kind;
  readonly id: Id;
  readonly version: number;
  readonly patch: Patch;
}

/**
 * A run as `GET /runs` lists it. On `run:{id}` too: a client that shows fields of `GET /runs/{id}` reads it
 * again.
 */
export type RunPatch = Answer<'listRuns'>['runs'][number];

/** Task runs of one run (`id` is the run's), only on `run:{id}`: one array per column, all of one length. */
export interface TaskColumns {
  /** Index of the task in its workflow, from 0: the order of `GET /runs/{id}/tasks`. */
  readonly index: readonly number[];
  readonly state: readonly string[];
  readonly since: readonly string[];
  /** When it queued and first began in its last round. */
  readonly queued: readonly (string | null)[];
  readonly started: readonly (string | null)[];
  readonly round: readonly number[];
  /** Number of the last attempt, the highest of all shards; 0 before the first. */
  readonly attempt: readonly number[];
  readonly workers: readonly (readonly string[])[];
  readonly reason: readonly (string | null)[];
  /** When it continues by itself: the end of a delay or of a retry's back-off. */
  readonly due: readonly (string | null)[];
  readonly forced: readonly boolean[];
  /** Number of its shards in each state; a task without shards counts as one. */
  readonly shards: readonly Readonly<Record<string, number>>[];
}

/** A schedule, on `schedules`. */
export interface SchedulePatch {
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly state: 'on' | 'paused';
  readonly nextDue: string | null;
  readonly firedUntil: string;
}

/** A workflow (`project/name`), on `workflows` and `workflow:{project}/{name}`. */
export interface WorkflowPatch {
  /** The live version; null before the first publish and after a delete. */
  readonly version: number | null;
  /** The revision of its draft; null without one. */
  readonly draft: number | null;
  /** Null while it is online. */
  readonly offlineSince: string | null;
}

/** A bulk as `GET /bulks/{id}` shows it, on `bulk:{id}`. */
export type BulkPatch = Answer<'showBulk'>;

/** A master or a worker, on `cluster`. */
export interface NodePatch {
  readonly role: 'master' | 'worker';
  readonly what: string;
}

/** A raised alert, on `alerts`. */
export interface AlertPatch {
  readonly kind: string;
  readonly project: string;
  readonly workflow: string;
  /** The run it is about, if any. */
  readonly run: number | null;
  /** One sentence. */
  readonly text: string;
}

/** The caller, on `me`: the parts of `GET /me` to read again. */
export interface MePatch {
  readonly what: 'preferences' | 'rights';
}

/** Too many changes on the topic to send: read again, at most every 2 s. */
export interface ManyPatch {
  /** Number of changed things; null if the caller may not see all of them. */
  readonly count: number | null;
}
