/**
 * What a live change does to an answer that is on the page: one entry for each operation that changes while one
 * looks. `stale` means that the change says too little and the answer is read again. Pure; answers that do not
 * change keep their identity.
 */
import type { LiveUpdate } from '@orrery/sdk/client';
import type { AnswerOf, InputOf, OperationId } from '../client.ts';

/** One change. */
export type LiveEvent = Extract<LiveUpdate, { kind: 'frame' }>['events'][number];

/** What a change does: a new answer, the same one, or none that could be told from it. */
export type Effect<Answer> = Answer | 'stale';

interface LiveRule<Id extends OperationId> {
  /** What to listen to. */
  topics(input: InputOf<Id>): readonly string[];
  apply(answer: AnswerOf<Id>, event: LiveEvent, input: InputOf<Id>): Effect<AnswerOf<Id>>;
}

type LiveRules = { readonly [Id in OperationId]?: LiveRule<Id> };

/** Replaces the row with the id of the change; an older change than the row does nothing. */
export function patchRow<Row extends { readonly id: number; readonly revision?: number }>(
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

/** Every rule. */
export const liveRules: LiveRules = {
  listRuns: {
    topics: () => ['runs'],
    apply(answer, event) {
      if (event.kind === 'many') return 'stale';
      if (event.kind !== 'run') return answer;
      const runs = patchRow(answer.runs, event);
      return runs === answer.runs ? answer : { ...answer, runs };
    },
  },
  listWorkflows: {
    topics: () => ['workflows', 'runs', 'schedules'],
    apply: (answer, { kind }) => (kind === 'node' || kind === 'tasks' || kind === 'me' ? answer : 'stale'),
  },
  listSchedules: {
    topics: () => ['schedules'],
    apply(answer, event) {
      if (event.kind === 'many') return 'stale';
      if (event.kind !== 'schedule') return answer;
      const schedules = patchRow(answer.schedules, event);
      return schedules === answer.schedules ? answer : { ...answer, schedules };
    },
  },
  listNodes: {
    topics: () => ['cluster'],
    apply: (answer, { kind }) => (kind === 'node' || kind === 'many' ? 'stale' : answer),
  },
};

/** The topics that an operation listens to, none if it has no rule. */
export function topicsOf<Id extends OperationId>(id: Id, input: InputOf<Id>): readonly string[] {
  return (liveRules[id] as LiveRule<Id> | undefined)?.topics(input) ?? [];
}

/** Applies a change to an answer if it is on a topic that the answer listens to. */
export function applyEvent<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  answer: AnswerOf<Id>,
  event: LiveEvent,
): Effect<AnswerOf<Id>> {
  const rule = liveRules[id] as LiveRule<Id> | undefined;
  return rule?.topics(input).includes(event.topic) ? rule.apply(answer, event, input) : answer;
}
