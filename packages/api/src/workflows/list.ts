/** A page of workflows. Included data is read for the whole page at once, never per row. */
import type { Answer, ReadInput } from '@orrery/contract';
import type { ListedWorkflow, NamedSchedule, StripRun } from '@orrery/store';
import type { Context } from '../context.ts';
import { optionalTime, timeText } from '../time.ts';
import { workflowActions } from './actions.ts';
import { draftsAheadOf } from './drafts-ahead.ts';
import { workflowName } from './find.ts';
import { STRIP_RUNS, stripOf } from './strip.ts';

type Row = Answer<'listWorkflows'>['workflows'][number];

/** Schedules shown of one workflow. */
const SHOWN_SCHEDULES = 10;

/** Reads a page. */
export async function listWorkflows(
  { store }: Context,
  {
    project,
    names,
    q = '',
    tag,
    owner,
    state,
    schedule,
    include,
    limit,
    after,
  }: ReadInput<'listWorkflows'>['query'],
): Promise<Row[]> {
  const found = await store.pageWorkflows({
    project,
    names: names?.map(workflowName),
    tags: tag,
    owner,
    states: state,
    schedule,
    words: q.split(/\s+/).filter((word) => word !== ''),
    after: after === undefined ? undefined : workflowName(after),
    limit,
  });
  const workflows = found.map(({ id }) => id);
  const [runs, schedules, aheadOf] = await Promise.all([
    include.includes('strip') ? store.readStrips({ workflows, limit: STRIP_RUNS }) : undefined,
    include.includes('next') ? store.readScheduleHeads({ workflows, limit: SHOWN_SCHEDULES }) : undefined,
    include.includes('draft') ? draftsAheadOf(store).read(found) : undefined,
  ]);
  const runsOf = runs && Map.groupBy(runs, ({ workflow }) => workflow);
  const schedulesOf = schedules && Map.groupBy(schedules, ({ workflow }) => workflow);
  return found.map((row) =>
    showRow(row, {
      runs: runsOf && (runsOf.get(row.id) ?? []),
      schedules: schedulesOf && (schedulesOf.get(row.id) ?? []),
      ahead: aheadOf?.(row),
    }),
  );
}

/** The included data of one workflow. */
interface Included {
  readonly runs: readonly StripRun[] | undefined;
  readonly schedules: readonly NamedSchedule[] | undefined;
  readonly ahead: number | null | undefined;
}

function showRow(row: ListedWorkflow, { runs, schedules, ahead }: Included): Row {
  const { project, name, live, offlineSince, createdAt, publishedAt } = row;
  return {
    project,
    name,
    version: live,
    offlineSince: optionalTime(offlineSince),
    createdAt: timeText(createdAt),
    publishedAt: optionalTime(publishedAt),
    owner: row.author ?? row.draftAuthor ?? '',
    tags: row.tags === null ? [] : JSON.parse(row.tags),
    module: row.module,
    draft: draftOf(row, ahead),
    actions: workflowActions({
      live,
      offlineSince,
      draft: row.draftRevision !== null,
      schedules: schedules?.map(({ enabled }) => enabled),
    }),
    strip: runs && stripOf(runs),
    schedules: schedules?.map(showSchedule),
    nextDue: schedules && soonest(schedules),
  };
}

function draftOf(row: ListedWorkflow, ahead: number | null | undefined): Row['draft'] {
  const { draftRevision: revision, draftBase: base, draftAuthor: author, draftSavedAt: savedAt } = row;
  if (revision === null || author === null || savedAt === null) return null;
  return { base, revision, author, savedAt: timeText(savedAt), ...(ahead !== undefined && { ahead }) };
}

function showSchedule({ id, name, spec, enabled, nextDue }: NamedSchedule) {
  const { cron, every, timezone } = spec;
  const state = enabled ? 'on' : 'paused';
  return { id, name, cron, every, timezone, state, nextDue: optionalTime(nextDue) } as const;
}

function soonest(schedules: readonly NamedSchedule[]): string | null {
  const dues = schedules.flatMap(({ enabled, nextDue }) => (enabled && nextDue !== null ? [nextDue] : []));
  return dues.length > 0 ? timeText(Math.min(...dues)) : null;
}
