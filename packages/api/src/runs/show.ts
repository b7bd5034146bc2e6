/** One run as the API shows it, without its task runs. */
import type { Answer } from '@orrery/contract';
import { formatDate } from '@orrery/core/params';
import { controlsOf, type RunRequest, taskRunText } from '@orrery/core/run';
import { isFinal, type RunState, type TaskState, taskMachine } from '@orrery/core/state';
import { zone } from '@orrery/core/time';
import type { HistoryRow, LostOwner } from '@orrery/store';
import { progressOf as backfillProgress } from '../backfills/progress.ts';
import type { Context } from '../context.ts';
import { optionalTime, timeText } from '../time.ts';
import { explainQueued, explainRun } from '../why/explain.ts';
import { lastAttempt } from './columns.ts';
import { actionsOf } from './control.ts';
import { type FoundRun, findRun, type QueuedRun, taskRunOf } from './read.ts';
import { replayAction } from './replay.ts';
import { controlActions, countsOf, ranking, showFailed, showQueuedRow, tagging } from './show-row.ts';

type ShownRun = Answer<'showRun'>;

/** Child runs shown on the page of a run. */
const SHOWN_CHILDREN = 20;

/** Replays shown of a run, the last ones. */
const SHOWN_REPLAYS = 20;

/** Rounds shown of a run, the last ones. */
const SHOWN_ROUNDS = 100;

/** Limit of task runs read to explain a run. */
const LOOKED_AT = 1_000;

/** A run, or one whose command still waits. */
export async function showRun(context: Context, id: number): Promise<ShownRun> {
  const found = await findRun(context, id, { from: 0, to: LOOKED_AT });
  return 'queued' in found ? showQueued(context, id, found.queued) : showFound(context, found);
}

async function showQueued(context: Context, id: number, queued: QueuedRun): Promise<ShownRun> {
  const { command, createdAt, ahead } = queued;
  return {
    ...showQueuedRow(id, command, createdAt),
    counts: {},
    scope: command.scope,
    period: periodOf(command.request),
    dryRun: command.request.dryRun,
    ahead,
    ownerEpoch: null,
    takenOver: null,
    startedBy: command.startedBy ?? null,
    failedAttempt: null,
    tick: null,
    roundKind: null,
    rounds: [],
    progress: { ended: 0, total: 0 },
    cause: causeOf(command.request),
    backfill: command.request.backfill ? backfillProgress(command.request.backfill, undefined) : null,
    parentTask: null,
    children: [],
    ...(await replaysOf(context, id, command.request)),
    requested: [],
    actions: [
      ...controlActions(controlsOf({ state: 'queued' })),
      replayAction(command.kind),
      ranking('queued'),
      tagging,
    ],
    why: await explainQueued(context, id, queued),
  };
}

/** The business time as the version of a period. */
function periodOf({ businessTime, timezone }: Pick<RunRequest, 'businessTime' | 'timezone'>): string {
  return formatDate('yyyyMMddHHmmss', businessTime, zone(timezone));
}

async function showFound(context: Context, found: FoundRun): Promise<ShownRun> {
  const { store } = context;
  const { run, request, fields, parent, controls } = found.details;
  const { businessTime, createdAt, startedAt, endedAt, ...row } = run;
  const counted = await store.countTaskRuns({ run: run.id });
  const history = await store.listHistory({ of: { kind: 'run', subject: String(run.id) }, limit: 1_000 });
  const [rounds, children, replays, parentTask, [listed], why, tick] = await Promise.all([
    roundsOf(context, found, history),
    store.listChildRuns({ run: run.id, limit: SHOWN_CHILDREN }),
    replaysOf(context, run.id, request),
    parent && parentName(context, parent),
    store.readListed({ ids: [run.id] }),
    explainRun(context, found, counted),
    run.trigger === 'tick' ? store.readTickOf({ run: run.id, due: businessTime }) : undefined,
  ]);
  const counts = countsOf(counted, found.plan.tasks.length, fields.round);
  const failed = listed?.failed;
  const nameOf = (task: number) => found.plan.tasks[task]?.spec.name ?? `task ${task}`;
  return {
    ...row,
    kind: run.kind as ShownRun['kind'],
    trigger: run.trigger as ShownRun['trigger'],
    state: fields.state,
    since: timeText(fields.since),
    businessTime: timeText(businessTime),
    createdAt: timeText(createdAt),
    startedAt: optionalTime(startedAt),
    endedAt: optionalTime(endedAt),
    counted: row.counted === 1,
    reason: fields.reason ?? null,
    round: fields.round,
    roundKind: fields.roundKind,
    rounds,
    priority: request.priority,
    params: fields.params,
    tags: [...(listed?.tags ?? [])],
    outputs: listed?.outputs ?? {},
    scope: request.scope,
    period: periodOf(request),
    dryRun: request.dryRun,
    ahead: null,
    ownerEpoch: found.details.ownerEpoch,
    takenOver: takenOverBy(history),
    startedBy: found.details.startedBy,
    failedAttempt: failed ? attemptOf(failed, found) : null,
    tick: tick ? { ...tick, due: timeText(tick.due), firedAt: timeText(tick.firedAt) } : null,
    parent: parent?.run ?? null,
    parentTask,
    children: children.map(({ id, task, state, businessTime }) => ({
      id,
      task: nameOf(task),
      state: state as RunState,
      businessTime: timeText(businessTime),
    })),
    ...replays,
    counts,
    attempts: listed?.attempts ?? null,
    progress: progressOf(counts),
    cause: causeOf(request),
    backfill: request.backfill
      ? backfillProgress(request.backfill, found.details.tasks.map(taskRunOf).at(0))
      : null,
    failed: failed ? showFailed(run.id, nameOf(failed.task), failed) : null,
    requested: controls.map(({ control, by, at }) => ({ name: control.type, by, at: timeText(at) })),
    actions: [...actionsOf(found), replayAction(run.kind), ranking(fields.state), tagging],
    why,
  };
}

/** The run that this one replays, and the replays of this one. */
async function replaysOf(
  { store }: Context,
  id: number,
  { replayOf }: Pick<RunRequest, 'replayOf'>,
): Promise<Pick<ShownRun, 'replayOf' | 'replays'>> {
  const replays = await store.listReplays({ run: id, limit: SHOWN_REPLAYS });
  return {
    replayOf: replayOf ?? null,
    replays: replays.map(({ id, state }) => ({ id, state: state as ShownRun['state'] })),
  };
}

function causeOf({ cause }: Pick<RunRequest, 'cause'>): ShownRun['cause'] {
  if (!cause) return null;
  return { trigger: cause.trigger, run: cause.run ?? null, workflow: cause.workflow ?? null };
}

/** How many task runs of this round have ended, of how many. */
function progressOf(counts: Readonly<Record<string, number>>): ShownRun['progress'] {
  const part = Object.entries(counts).filter(([state]) => state !== 'excluded');
  const sum = (list: typeof part) => list.reduce((all, [, count]) => all + count, 0);
  return {
    ended: sum(part.filter(([state]) => isFinal(taskMachine, state as TaskState))),
    total: sum(part),
  };
}

async function parentName(
  context: Context,
  { run, task }: { readonly run: number; readonly task: number },
): Promise<string | null> {
  const found = await findRun(context, run, { from: 0, to: 0 }).catch(() => undefined);
  if (!found || 'queued' in found) return null;
  const name = found.plan.tasks[task]?.spec.name;
  return name === undefined ? null : taskRunText({ run, task: name });
}

/** Every round: when and by whom it was started, if recorded, and how it ended. */
async function roundsOf(
  { store }: Context,
  { details }: FoundRun,
  history: readonly HistoryRow[],
): Promise<ShownRun['rounds'][number][]> {
  const { run, fields } = details;
  const ended = await store.listRounds({ run: run.id });
  const opened = new Map(history.flatMap((entry) => openedBy(entry)));
  const endOf = new Map(ended.map((round) => [round.round, round]));
  const first = Math.max(1, fields.round - SHOWN_ROUNDS + 1);
  return Array.from({ length: fields.round - first + 1 }, (_, k) => {
    const round = first + k;
    const begun = opened.get(round);
    const present = round === fields.round;
    const end = endOf.get(round);
    return {
      round,
      kind: round === 1 ? 'start' : (begun?.kind ?? (present ? fields.roundKind : null)),
      by: begun?.by ?? null,
      startedAt: optionalTime(present ? fields.roundStarted : round === 1 ? run.startedAt : begun?.at),
      endedAt: optionalTime(end?.endedAt ?? (present ? run.endedAt : null)),
      state: end?.state ?? (present ? fields.state : 'ended'),
    };
  });
}

/** The last time that another process went on with the run; the history is newest first. */
function takenOverBy(history: readonly HistoryRow[]): ShownRun['takenOver'] {
  const last = history.find(({ action }) => action === 'taken-over');
  if (!last) return null;
  const { epoch, lost } = JSON.parse(last.body) as { epoch: number; lost: LostOwner };
  return { at: timeText(last.at), by: last.actor, epoch, from: { ...lost, at: timeText(lost.at) } };
}

/** Which attempt of a task run failed last, and how many it may have. */
function attemptOf(
  { task, body }: { readonly task: number; readonly body: string },
  { plan }: FoundRun,
): ShownRun['failedAttempt'] {
  const number = lastAttempt(JSON.parse(body));
  return { number, most: Math.max(number, (plan.tasks[task]?.spec.retries.limit ?? 0) + 1) };
}

/** The round that an entry of the history opened, if it did. */
function openedBy({ action, actor, at, body }: HistoryRow) {
  const kind = action === 'rerun-done' ? 'rerun' : action === 'recover-done' ? 'recover' : undefined;
  const round = (JSON.parse(body) as { round?: number }).round;
  return kind && round !== undefined ? [[round, { kind, by: actor, at } as const] as const] : [];
}
