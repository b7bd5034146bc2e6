/**
 * The commit of one run: its changes as rows, the commands of its children, and the message to its parent.
 */

import { admissionOf } from '@orrery/core/admit';
import type { Parameters } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import {
  type ChildStart,
  countsAsRun,
  errorOf,
  failureOf,
  firstLine,
  outputsOf,
  type Run,
  type RunFields,
} from '@orrery/core/run';
import { NO_SHARD } from '@orrery/core/run/attempt';
import { isFinal, type RunState, runMachine } from '@orrery/core/state';
import {
  type Command,
  type DependencyWait,
  type InboxMessage,
  isWritten,
  type RunChange,
  type Store,
  whyOffline,
} from '@orrery/store';
import { dependsOn } from '@orrery/store/dependency';
import { withTargets } from '../dispatch/shard-targets.ts';
import type { Pending } from './pending.ts';
import type { HandOver, RunEntry } from './run-entry.ts';

/** Open waits are checked at this interval, whatever else happens. */
export const LOOK_EVERY = 30_000;

/** One run's part of a batch. */
export interface Commitment {
  readonly entry: RunEntry;
  readonly pending: Pending;
  readonly change: RunChange;
}

/** Parts of a change for which the store is asked. */
interface Asked {
  readonly commands: readonly Command[];
  readonly messages: RunChange['messages'];
  readonly enqueue: RunChange['enqueue'];
  readonly waits?: RunChange['waits'];
}

/**
 * Builds a run's part of a batch; at once if nothing has to be read, as for most changes: promises and copies
 * took a fifth of this thread's time for a run of one task.
 */
export function commitOf(
  entry: RunEntry,
  pending: Pending,
  store: Store,
  now: number,
): Commitment | Promise<Commitment> {
  const { children, childControls, waits, enqueue } = pending;
  const asks =
    children.length + childControls.length + waits.length > 0 ||
    enqueue.some(({ shard }) => shard !== NO_SHARD);
  if (!asks) return commitmentOf(entry, pending, { commands: [], messages: [], enqueue }, now);
  return askStore(entry, pending, store, now).then((asked) => commitmentOf(entry, pending, asked, now));
}

/** Reads the live versions of child workflows, the children to control, the plans of shards. */
async function askStore(entry: RunEntry, pending: Pending, store: Store, now: number): Promise<Asked> {
  const { run, id } = entry;
  const commands: Command[] = [];
  const messages: RunChange['messages'][number][] = [];
  for (const child of pending.children) {
    const command = await childCommand(run, id, child, store);
    if (typeof command === 'object') commands.push(command);
    else
      messages.push({
        run: id,
        message: { type: 'child', ...keyOf(child), run: 0, state: 'failed', reason: command },
      });
  }
  for (const { task, round, element, control } of pending.childControls) {
    const children = await store.findChildren({ parent: id, task, element });
    const child = children.find((one) => one.round === round);
    if (!child) continue;
    const reason = control === 'recover' ? await refusedRecovery(run, child.run, store) : undefined;
    messages.push(
      reason === undefined
        ? { run: child.run, message: { type: 'control', control: { type: control }, by: 'parent' } }
        : {
            run: id,
            message: { type: 'child', task, round, element, run: child.run, state: 'failed', reason },
          },
    );
  }
  const enqueue = await withTargets(entry, pending.enqueue, store);
  return { commands, messages, enqueue, waits: await waitsOf(entry, pending, store, now) };
}

function commitmentOf(entry: RunEntry, pending: Pending, asked: Asked, now: number): Commitment {
  const { run, id } = entry;
  const { fields, settled } = pending;
  const ended = settled !== undefined && isFinal(runMachine, settled.state);
  const messages = [...asked.messages];
  const gives = !ended && isHandedOver(entry, pending);
  if (gives) messages.push({ run: id, message: handOverMessage(gives, now) });
  const told = pending.told ?? settled?.state ?? (wentOn(pending) ? 'running' : undefined);
  if (told && entry.parent) messages.push({ run: entry.parent.run, message: parentMessage(entry, told) });
  const release = ended || gives !== false || isParked(entry, pending);
  const outputs = ended ? outputsOf(run) : undefined;
  const change: RunChange = {
    run: id,
    revision: entry.revision + Number(isWritten({ fields, release })),
    fields,
    startedAt: fields && hasStarted(entry, fields) ? fields.roundStarted : undefined,
    endedAt: ended ? now : fields ? null : undefined,
    // The fields by which lists find an ended run.
    error: ended && settled.state !== 'success' ? failureOf(run) : undefined,
    outputs,
    tasks: [...pending.tasks],
    enqueue: asked.enqueue,
    withdraw: pending.withdraw,
    admit: pending.admit,
    outcomes: pending.outcomes,
    consumed: pending.consumed,
    commands: asked.commands,
    messages,
    fact: ended && !run.request.backfill ? factOf(entry, settled.round, settled.state) : undefined,
    ending: outputs && ended ? endingOf(run, settled.round, settled.state, outputs) : undefined,
    waits: asked.waits,
    approvals: approvalsOf(entry, pending),
    limits: limitsOf(entry, pending, ended),
    ...warningsOf(entry, pending, ended ? settled.state : undefined),
    release,
    event: eventOf(entry, pending),
  };
  return { entry, pending, change };
}

/** The body of its event, as JSON: a state and numbers need no escaping. */
function eventOf({ run, workflow, parent }: RunEntry, { tasks }: Pending): string {
  const of = parent ? `,"parent":${parent.run}` : '';
  return `{"state":"${run.fields.state}","workflow":${workflow}${of},"tasks":[${[...tasks.keys()].join()}]}`;
}

/** A run that is paused or stopped while it waits for a slot has never started. */
function hasStarted({ waits }: RunEntry, { state, unstarted }: RunFields): boolean {
  return state !== 'waiting' && !unstarted && !waits;
}

/** The slots that a run frees, or whether it keeps its turn while it waits: a paused run lets others pass. */
function limitsOf(
  { limited, waits }: RunEntry,
  { fields, freed }: Pending,
  ended: boolean,
): RunChange['limits'] {
  if ((ended && limited) || freed) return { free: true };
  return waits && fields ? { paused: fields.state === 'paused' } : undefined;
}

/** Dependent tasks that start or stop waiting. The last change of each counts. */
async function waitsOf(
  { run }: RunEntry,
  { waits }: Pending,
  store: Store,
  now: number,
): Promise<RunChange['waits']> {
  if (waits.length === 0) return undefined;
  const last = new Map(waits.map((wait) => [`${wait.task}.${wait.round}`, wait]));
  const open: DependencyWait[] = [];
  for (const { task, round, open: opens } of last.values()) {
    if (opens) open.push({ task, round, on: await dependsOn(run, task, store), lookAt: now + LOOK_EVERY });
  }
  return { open, close: [...last.values()].filter((wait) => !wait.open) };
}

/** Limit of a question's text in the list of approvals. */
const SHOWN_QUESTION = 1_000;

/** Approvals that start or stop waiting. The last change of each counts. */
function approvalsOf(
  { run }: Pick<RunEntry, 'run'>,
  { approvals }: Pick<Pending, 'approvals'>,
): RunChange['approvals'] {
  if (approvals.length === 0) return undefined;
  const last = [...new Map(approvals.map((one) => [one.task, one])).values()];
  const open = last
    .filter((one) => one.open)
    .map(({ task, round }) => ({
      task,
      round,
      name: run.plan.tasks[task].spec.name,
      message: (run.tasks[task].question?.message ?? '').slice(0, SHOWN_QUESTION),
    }));
  return { open, close: last.filter((one) => !one.open) };
}

/** Whether the run resumed after a rest or an end: its parent may have acted on either. */
function wentOn({ fields }: Pending): boolean {
  return fields?.state === 'running' && (fields.roundKind !== 'start' || fields.since > fields.roundStarted);
}

/**
 * Whether this change hands the run to another master. The release writes an inbox row, by which any master
 * claims the run. It waits until the run has its answers from this change and from lookups in flight. A
 * resting run needs no new owner.
 */
function isHandedOver(entry: RunEntry, pending: Pending): HandOver | false {
  if (!entry.handOver || entry.looking > 0 || pending.withdraw.length > 0) return false;
  if (pending.waits.some(({ open }) => open)) return false;
  return isParked(entry, pending) ? false : entry.handOver;
}

function handOverMessage({ from, reason }: HandOver, now: number): InboxMessage {
  return { type: 'owner-lost', reason, lost: { ...from, how: 'handed-over', at: now } };
}

/**
 * Whether no attempt of the run is assigned, due, or queued for a live worker. The run then needs no owner
 * until it gets a message.
 */
function isParked(
  { run, timers, waits, looking, unserved }: RunEntry,
  { effects, enqueue, waits: begun }: Pending,
): boolean {
  if (looking > 0 || run.agenda.length > 0 || begun.some(({ open }) => open)) return false;
  if (run.fields.state === 'waiting') return waits;
  const { submitted, running, retrying, delayed, stopping } = run.tally;
  const queued = unserved && enqueue.length === 0 ? 0 : submitted;
  const open = queued + running + retrying + delayed + stopping;
  return open === 0 && timers.size === 0 && !effects.some(({ type }) => type === 'timer');
}

/**
 * The command that starts a child. Returns a text if the child may not start, undefined if the workflow does
 * not exist.
 */
async function childCommand(
  run: Run,
  id: number,
  child: ChildStart,
  store: Store,
): Promise<Command | string | undefined> {
  const from = run.request.project;
  const { project = from, name, version } = child.workflow;
  const refused = await refusedCall(run, { project, name }, store);
  if (refused !== undefined) return refused;
  const live = await store.readWorkflow({ project, name });
  const found = version === undefined ? live : await store.readWorkflow({ project, name, version });
  if (!live || !found) return undefined;
  if (live.offlineSince !== undefined) return whyOffline(project, name);
  const { workflow } = found;
  const { backfill } = run.request;
  // The live version limits the open runs of a workflow, including runs of older versions.
  const admission = admissionOf(live.workflow, true);
  return {
    workflow: found.id,
    version: found.version,
    project,
    name,
    priority: priorityNumber(run.request.priority),
    kind: 'normal',
    trigger: backfill ? 'backfill' : 'child',
    request: {
      project,
      priority: run.request.priority,
      onFailure: workflow.onFailure,
      businessTime: child.businessTime,
      timezone: child.timezone ?? workflow.timezone,
      dryRun: false,
      // A run started by a partial run is itself partial.
      ...(!countsAsRun(run.request) && { counts: false }),
      depth: child.depth,
      ...(isSilent(run) && { silent: true as const }),
    },
    params: child.params,
    scope: { kind: 'all', tasks: [] },
    tags: workflow.tags,
    parent: { run: id, ...keyOf(child) },
    admission: backfill ? waiting(admission) : admission,
    onePerPeriod: workflow.onePerPeriod,
  };
}

/** Why a run may not call a workflow of another project now; undefined if it may. */
async function refusedCall(
  { request: { project: from, backfill } }: Run,
  { project, name }: { readonly project: string; readonly name: string },
  store: Store,
): Promise<string | undefined> {
  // The workflows of a backfill were checked against the projects of the person who requested it.
  if (project === from || backfill || (await store.isCallable({ from, project, name }))) return undefined;
  return `${project}/${name} may not be called from project ${from}: see "callableFrom"`;
}

/** Why a child run may not be recovered: its project may have withdrawn its permission since the start. */
async function refusedRecovery(run: Run, child: number, store: Store): Promise<string | undefined> {
  const [found] = (await store.readRunsById({ ids: [child] })).runs;
  return found && refusedCall(run, found, store);
}

/** Runs of a backfill are all wanted: while others are open they are neither discarded nor replace them. */
function waiting(admission: Command['admission']): Command['admission'] {
  return admission && admission.mode !== 'parallel' ? { ...admission, mode: 'serial-wait' } : admission;
}

function keyOf({ task, round, element }: ChildStart): { task: number; round: number; element: number } {
  return { task, round, element };
}

/** The message to a parent when its child's round ends or the child rests. */
function parentMessage({ id, parent, run }: RunEntry, state: RunState): InboxMessage {
  const { task, round, element } = parent ?? { task: 0, round: 0, element: 0 };
  return {
    type: 'child',
    task,
    round,
    element,
    run: id,
    state: seenByParent(state),
    outputs: outputsOf(run),
  };
}

/** Maps a run's state to the state its parent sees. */
function seenByParent(state: RunState): 'running' | 'paused' | 'success' | 'failed' | 'stopped' {
  if (state === 'success' || state === 'failed' || state === 'paused' || state === 'stopped') return state;
  return state === 'broken' ? 'failed' : 'running';
}

/** The outcome of a round that dependents read, long after the run itself is deleted. */
function factOf({ run, workflow }: RunEntry, round: number, state: string): NonNullable<RunChange['fact']> {
  const tasks: Record<string, string> = {};
  run.tasks.forEach((task, i) => {
    if (task.state !== 'pending' && task.state !== 'excluded')
      tasks[run.plan.tasks[i].spec.name] = task.state;
  });
  const { request } = run;
  const counts = countsAsRun(request);
  return {
    workflow,
    businessTime: request.businessTime,
    round,
    state,
    tasks: JSON.stringify(tasks),
    counts,
  };
}

/** Alerts for people: a failure, or a time limit that only warns. The run's history lists them too. */
function warningsOf(
  { run, id, workflow, parent }: RunEntry,
  { effects, history, tasks, approvals }: Pending,
  ended: RunState | undefined,
): Pick<RunChange, 'alerts' | 'history'> {
  const alerts = effects.filter((effect) => effect.type === 'alert');
  const failed = ended === 'failed' && isHeardOf(run) && !parent;
  const backfilled = ended !== undefined && run.request.backfill !== undefined;
  const failures = isHeardOf(run) ? failedTasks(run, tasks) : [];
  const asked = approvalsOf({ run }, { approvals })?.open ?? [];
  if (alerts.length === 0 && asked.length === 0 && failures.length === 0 && !failed && !backfilled)
    return { history };
  const { project, name } = run.plan.workflow;
  const { round } = run.fields;
  const about = { workflow, project, name, run: id };
  const failure = {
    kind: 'run-failed',
    text: failureOf(run) ?? 'failed',
    from: run.request.businessTime,
    to: null,
  } as const;
  return {
    alerts: [
      ...alerts.map(({ kind, text }) => ({ ...about, kind, text, from: null, to: null })),
      ...asked.map(({ task, name: asks, message }) => ({
        ...about,
        kind: 'approval-waiting' as const,
        text: `${asks}: ${message}`,
        from: task,
        to: null,
      })),
      ...failures.map((text) => ({ ...about, kind: 'task-failed' as const, text, from: null, to: null })),
      ...(failed ? [{ ...about, ...failure }] : []),
      ...(backfilled
        ? [{ ...about, kind: 'backfill-done' as const, text: ended, from: null, to: null }]
        : []),
    ],
    history: [
      ...history,
      ...alerts.map(({ kind, text }) => ({
        actor: 'time limit',
        kind: 'run' as const,
        subject: String(id),
        action: kind,
        body: { reason: text, round },
      })),
    ],
  };
}

/** Describes tasks that failed for good: after their last retry, whether or not another task forgives it. */
function failedTasks(run: Run, changed: Pending['tasks']): string[] {
  return [...changed]
    .filter(([, { state }]) => state === 'failed')
    .map(([i, task]) => {
      const error = firstLine(errorOf(task) ?? run.fields.reason ?? null);
      return `task ${run.plan.tasks[i].spec.name}: ${error ?? 'failed'}`;
    });
}

/** Whether the end of the run fires triggers and alerts. */
function isHeardOf(run: Run): boolean {
  return !isSilent(run) && countsAsRun(run.request);
}

/** The end of a round, for triggers. */
function endingOf(run: Run, round: number, state: string, outputs: Parameters): RunChange['ending'] {
  if (!isHeardOf(run)) return undefined;
  const { project, name } = run.plan.workflow;
  const { businessTime, cause } = run.request;
  return {
    ...{ round, project, name, state, businessTime },
    outputs: JSON.stringify(outputs),
    chain: cause?.chain ?? 0,
  };
}

/** Whether a run is a backfill or part of one. Its downstream workflows then run only on request. */
function isSilent({ request }: Run): boolean {
  return request.backfill !== undefined || request.silent === true;
}
