/**
 * How a live change affects an answer on the page: one entry for each operation whose answer can change while
 * shown. `stale` means that the change carries too little and the answer is read again. Pure; unchanged
 * answers keep their identity.
 */
import type { LiveUpdate } from '@orrery/sdk/client';
import type { AnswerOf, InputOf, OperationId } from '../client.ts';
import { rowsWithRun, rowsWithSchedule } from './workflow-rows.ts';

/** One change. */
export type LiveEvent = Extract<LiveUpdate, { kind: 'frame' }>['events'][number];

/** The effect of a change: a new answer, the same one, `stale`, or a part of a new one. */
export type Effect<Answer> = Answer | 'stale' | PartOf<Answer>;

/** An answer with the known part of a change; the rest is read again. */
export class PartOf<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

interface LiveRule<Id extends OperationId> {
  /** What to listen to. */
  topics(input: InputOf<Id>): readonly string[];
  apply(answer: AnswerOf<Id>, event: LiveEvent, input: InputOf<Id>): Effect<AnswerOf<Id>>;
  /** How soon after a read it may be read again, in milliseconds. */
  readonly pace?: number;
}

/** Limit of how often an answer is read again, unless its rule has its own. */
const PACE = 2_000;

type LiveRules = { readonly [Id in OperationId]?: LiveRule<Id> };

/** Replaces the row with the id of the change; an older change than the row does nothing. */
function patchRow<Row extends { readonly id: number; readonly revision?: number }>(
  rows: readonly Row[],
  event: { readonly id: number; readonly version: number; readonly patch: object },
): readonly Row[] {
  const at = rows.findIndex(({ id }) => id === event.id);
  if (at < 0 || event.version < (rows[at].revision ?? 0)) return rows;
  const patched = { ...rows[at], ...event.patch };
  return same(rows[at], patched) ? rows : rows.with(at, patched);
}

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Rules of answers that a page keeps in a form of its own, under a key of its own. */
const ownRules = new Map<string, LiveRule<never>>();

/** Adds a rule for answers that are kept under this key as `[key, input]`. */
export function addLiveRule<Input, Answer>(
  key: string,
  rule: {
    topics(input: Input): readonly string[];
    apply(answer: Answer, event: LiveEvent, input: Input): Effect<Answer>;
  },
): void {
  ownRules.set(key, rule as unknown as LiveRule<never>);
}

/** Whether answers under this key change while one looks. */
export function isLive(key: string): boolean {
  return key in liveRules || ownRules.has(key);
}

type Workflows = AnswerOf<'listWorkflows'>;

function withRows(answer: Workflows, workflows: Workflows['workflows'] | null): Effect<Workflows> {
  if (workflows === null) return 'stale';
  return workflows === answer.workflows ? answer : { ...answer, workflows };
}

/** The run of a run or a task run, by its id. */
function runOf(id: string | number): string {
  return String(id).split('.', 1)[0];
}

/** A possible number of a run: a stream with any other is refused as a whole. */
const runNumber = /^[1-9]\d{0,14}$/;

/** Every rule. */
const liveRules: LiveRules = {
  listRuns: {
    topics: () => ['runs'],
    apply(answer, event) {
      if (event.kind === 'many') return 'stale';
      if (event.kind !== 'run') return answer;
      const runs = patchRow(answer.runs, event);
      return runs === answer.runs ? answer : { ...answer, runs };
    },
  },
  showRun: {
    topics: ({ id }) => [`run:${id}`],
    apply(answer, event) {
      if (event.kind === 'many' || event.kind === 'gone') return 'stale';
      if (event.kind !== 'run') return answer;
      return new PartOf({ ...answer, ...event.patch, counts: event.patch.counts ?? answer.counts });
    },
  },
  listTaskWaits: {
    topics: ({ id }) => [`run:${id}`],
    apply: () => 'stale',
  },
  listRunEvents: {
    topics: ({ id }) => [`run:${id}`],
    apply: () => 'stale',
  },
  explain: {
    // What was typed may be no id at all.
    topics: ({ id }) => (runNumber.test(runOf(id)) ? [`run:${runOf(id)}`] : []),
    // Changes of a run cover its waits; a task run also waits for other task runs of its run.
    apply: (answer, { kind }, { id }) => (kind === 'tasks' && runOf(id) === String(id) ? answer : 'stale'),
  },
  showBulk: {
    topics: ({ id }) => [`bulk:${id}`],
    // An ended run stays unchanged: later events are older.
    apply(answer, event) {
      if (answer.state !== 'running') return answer;
      if (event.kind === 'many') return 'stale';
      return event.kind === 'bulk' ? event.patch : answer;
    },
  },
  listBulkResults: {
    topics: ({ id }) => [`bulk:${id}`, 'runs'],
    apply(answer, event) {
      if (event.kind === 'bulk' || event.kind === 'many') return 'stale';
      if (event.kind !== 'run') return answer;
      const at = answer.results.findIndex(({ run }) => run === event.id);
      const row = answer.results[at];
      if (!row || row.name === null || row.state === event.patch.state) return answer;
      return { ...answer, results: answer.results.with(at, { ...row, state: event.patch.state }) };
    },
  },
  listWorkflows: {
    topics: () => ['workflows', 'runs', 'schedules'],
    apply(answer, event) {
      if (event.kind === 'run') return withRows(answer, rowsWithRun(answer.workflows, event.patch));
      if (event.kind === 'schedule') return withRows(answer, rowsWithSchedule(answer.workflows, event));
      return event.kind === 'workflow' || event.kind === 'many' || event.kind === 'gone' ? 'stale' : answer;
    },
  },
  showWorkflow: {
    topics: ({ project, name }) => [`workflow:${project}/${name}`],
    apply: (answer, { kind }) =>
      kind === 'workflow' || kind === 'many' || kind === 'gone' ? 'stale' : answer,
  },
  listVersions: {
    topics: ({ project, name }) => [`workflow:${project}/${name}`],
    apply: (answer, { kind }) => (kind === 'tasks' ? answer : 'stale'),
  },
  showGrid: {
    topics: ({ project, name }) => [`workflow:${project}/${name}`],
    apply: () => 'stale',
  },
  showOverview: {
    topics: () => ['runs', 'schedules', 'cluster', 'workflows', 'alerts'],
    apply: (answer, { kind }) => (kind === 'tasks' || kind === 'me' ? answer : 'stale'),
    // What goes wrong is seen within a second.
    pace: 500,
  },
  showMe: { topics: () => ['me'], apply: (answer, { kind }) => (kind === 'me' ? 'stale' : answer) },
  listSchedules: {
    topics: () => ['schedules'],
    apply(answer, event) {
      if (event.kind === 'many') return 'stale';
      if (event.kind !== 'schedule') return answer;
      const schedules = patchRow(answer.schedules, event);
      if (schedules === answer.schedules) return answer;
      // The next ticks, the last run and the drift are not part of the change.
      return new PartOf({ ...answer, schedules });
    },
  },
  showSchedule: {
    topics: () => ['schedules'],
    apply: (answer, event) =>
      event.kind === 'many' || (event.kind === 'schedule' && event.id === answer.id) ? 'stale' : answer,
  },
  listScheduleTicks: {
    topics: () => ['schedules'],
    apply: (answer, event, { id }) =>
      event.kind === 'many' || (event.kind === 'schedule' && event.id === id) ? 'stale' : answer,
  },
  listAlerts: {
    topics: () => ['alerts'],
    apply: () => 'stale',
  },
  listNodes: {
    topics: () => ['cluster'],
    apply: (answer, { kind }) => (kind === 'node' || kind === 'many' ? 'stale' : answer),
  },
};

/** The topics that an operation listens to, none if it has no rule. */
export function topicsOf<Id extends OperationId>(id: Id, input: InputOf<Id>): readonly string[] {
  return ruleOf(id)?.topics(input) ?? [];
}

/** How soon after a read answers under this key may be read again, in milliseconds. */
export function paceOf(key: string): number {
  return ruleOf(key as OperationId)?.pace ?? PACE;
}

/** Applies a change to an answer if it is on a topic that the answer listens to. */
export function applyEvent<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  answer: AnswerOf<Id>,
  event: LiveEvent,
): Effect<AnswerOf<Id>> {
  const rule = ruleOf(id);
  return rule?.topics(input).includes(event.topic) ? rule.apply(answer, event, input) : answer;
}

function ruleOf<Id extends OperationId>(id: Id): LiveRule<Id> | undefined {
  return (liveRules[id] ?? ownRules.get(id)) as LiveRule<Id> | undefined;
}
