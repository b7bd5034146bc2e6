/**
 * Live changes as `GET /api/v1/events?topics=runs,run:12` streams them (server-sent events). Plain data and types: a
 * browser takes this file as it is. Every REST answer carries `Orrery-Seq`, taken before its data was read; a stream
 * that begins there (`?after=`, or `Last-Event-ID` when it reconnects) leaves nothing out between the two.
 */
import type { Answer } from './operation.ts';

/** The header of every REST answer, and what its value is in a stream: the id of a message. Opaque. */
export const seqHeader = 'orrery-seq';

/** What can be listened to; `{…}` stands for the id of one thing, as REST writes it. */
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

/** How the stream behaves; the console is built for these figures. */
export const liveRules = {
  /** Frames a connection gets at most in a second; each has the latest of every id. */
  framesPerSecond: 20,
  /** With more ids than this in one frame a topic gets one event of kind `many` instead of them. */
  mostIds: 500,
  /** A comment is sent this often (milliseconds), so that a broken connection is noticed. */
  beatEvery: 15_000,
  /** How long to wait before connecting again (milliseconds), as the stream itself says it. */
  retry: 1_000,
  /** Topics of one connection at most. */
  mostTopics: 100,
} as const;

/**
 * The messages of the stream, by the name of the SSE event. The id of each is its `seq`.
 * `hello` comes first: from here on nothing is left out. `frame` has changes. `resync` says that changes were left
 * out (the position is older than what is kept, or the reader was too slow): read again what is shown.
 */
export interface LiveMessages {
  readonly hello: { readonly seq: string; readonly topics: readonly string[] };
  readonly frame: { readonly seq: string; readonly events: readonly LiveEvent[] };
  readonly resync: { readonly seq: string };
}

/** The names of the messages. */
export type LiveMessage = keyof LiveMessages;

/**
 * One change. A patch has whole values read after the change, so applying one twice does no harm: drop an event only
 * if its `version` is smaller than that of the last one about the same id.
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

/** The parts that all changes have; `topic` is the one that was asked for. Of kind `gone`: there is no such thing now. */
interface Change<Kind extends string, Id, Patch> {
  readonly topic: string;
  readonly kind: Kind;
  readonly id: Id;
  readonly version: number;
  readonly patch: Patch;
}

/** A run as `GET /runs` lists it. On `run:{id}` too: what only `GET /runs/{id}` has is read again when this comes. */
export type RunPatch = Answer<'listRuns'>['runs'][number];

/** Task runs of one run (`id` is the run's), on `run:{id}` alone: a column each, all of one length. */
export interface TaskColumns {
  /** The place of the task in its workflow, counted from 0: the order of `GET /runs/{id}/tasks`. */
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
  /** When it goes on by itself: the end of a delay or of a wait for a retry. */
  readonly due: readonly (string | null)[];
  readonly forced: readonly boolean[];
  /** How many of its shards are in each state; a task without shards counts as one. */
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

/** An alert that was raised, on `alerts`. */
export interface AlertPatch {
  readonly kind: string;
  readonly project: string;
  readonly workflow: string;
  /** The run it is about, if it is about one. */
  readonly run: number | null;
  /** One sentence. */
  readonly text: string;
}

/** The caller, on `me`: what to ask `GET /me` for again. */
export interface MePatch {
  readonly what: 'preferences' | 'rights';
}

/** So much changed on the topic that the events are left out: read again, not more often than every 2 s. */
export interface ManyPatch {
  /** Things that changed; null for a caller who may not see all of them. */
  readonly count: number | null;
}
