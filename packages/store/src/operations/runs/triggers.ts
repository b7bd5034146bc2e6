/**
 * Triggers: runs that start when runs of other workflows end. The commit of a round's end records it for each
 * workflow that may react; a later operation removes the record and starts the triggered runs in one
 * transaction. So each end is handled once, even across crashes.
 */
import type { AfterSpec, TriggerSpec, Workflow } from '@orrery/core/model';
import { hearsOf, triggerParameters } from '@orrery/core/model/trigger-values';
import { sizeRefusal } from '@orrery/core/params';
import { english, type Said } from '@orrery/core/texts';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { type Row, unnest } from '../../table.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { whyTaken } from '../limits/periods.ts';
import { type HistoryEntry, remember } from '../lists/history.ts';
import { whyOffline } from '../workflows/workflow-online.ts';
import type { WorkflowVersion } from '../workflows/workflows.ts';
import { isCallable } from './calls.ts';
import { type Command, type QueuedCommand, queueCommands } from './commands.ts';
import { startCommand } from './start-command.ts';

/** The end of a round, as triggers see it. */
export interface Ending {
  readonly run: number;
  readonly round: number;
  readonly project: string;
  readonly name: string;
  readonly state: string;
  readonly businessTime: number;
  /** JSON: outputs of the workflow. */
  readonly outputs: string;
  /** Number of consecutive triggers that led to the run. */
  readonly chain: number;
}

/** An ending as a row. */
export function endingRow({ run, round, project, name, state, businessTime, outputs, chain }: Ending): Row {
  return [run, round, project, name, state, businessTime, outputs, chain];
}

const columns = 'run, round, project, name, state, business_time, outputs, chain';
const types = ['int', 'int', 'text', 'text', 'text', 'int', 'text', 'int', 'int'] as const;

/**
 * Records endings for the workflows that may react, within the operation that ends the rounds; returns how
 * many.
 */
export function* queueEndings(endings: readonly Row[], now: number): Operation<number> {
  const heard = yield* withTriggers(endings);
  if (heard.length === 0) return 0;
  const into = `INSERT INTO trigger_due (workflow, ${columns}, created_at)`;
  const { changed } = yield* batch(
    {
      sqlite: `${into} SELECT workflow, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM workflow_use
        WHERE used_as = 'trigger' AND project = ?3 AND name = ?4`,
      postgres: `${into} SELECT u.workflow, k.* FROM ${unnest(types)} AS k(${columns}, created_at)
        JOIN workflow_use u ON u.used_as = 'trigger' AND u.project = k.project AND u.name = k.name`,
    },
    types,
    heard.map((ending) => [...ending, now]),
  );
  return changed;
}

/**
 * Endings that some trigger waits for. Most workflows have none, and many endings belong to few workflows.
 */
function* withTriggers(endings: readonly Row[]): Operation<readonly Row[]> {
  if (endings.length === 0) return [];
  const nameOf = ([, , project, name]: Row) => `${project}/${name}`;
  const workflows = new Map(endings.map((ending) => [nameOf(ending), [ending[2], ending[3]]]));
  const found = yield* batch<{ project: string; name: string }>(
    {
      sqlite: `SELECT project, name FROM workflow_use WHERE project = ?1 AND name = ?2 AND used_as = 'trigger' LIMIT 1`,
      postgres: `SELECT DISTINCT u.project, u.name FROM ${unnest(['text', 'text'])} AS k(project, name)
        JOIN workflow_use u ON u.project = k.project AND u.name = k.name AND u.used_as = 'trigger'`,
    },
    ['text', 'text'],
    [...workflows.values()],
  );
  if (found.rows.length === 0) return [];
  const named = new Set(found.rows.map(({ project, name }) => `${project}/${name}`));
  return endings.filter((ending) => named.has(nameOf(ending)));
}

interface Due extends Ending {
  /** The workflow that may react. */
  readonly workflow: number;
}

/** Handles at most `limit` recorded endings; returns the runs this starts. */
export function* fireTriggers(input: {
  readonly self: Self;
  readonly limit: number;
  readonly now: number;
}): Operation<{ readonly runs: readonly number[]; readonly more: boolean }> {
  const { self, limit, now } = input;
  yield* checkSelf(self);
  const due = yield* takeDue(limit);
  const starts: { readonly command: Command; readonly ended: Due }[] = [];
  const refused: Due[] = [];
  const tooMuch: HistoryEntry[] = [];
  const offline: HistoryEntry[] = [];
  // Rows are locked in this one order by all callers.
  for (const [id, list] of [...Map.groupBy(due, ({ workflow }) => workflow)].sort(([a], [b]) => a - b)) {
    const live = yield* lockLive(id);
    if (!live) continue;
    if (live.offlineSince !== undefined) {
      offline.push(...list.flatMap((ended) => offlineOf(live, ended)));
      continue;
    }
    // An unreadable workflow must not block the endings of others.
    if (!Array.isArray(live.workflow.triggers)) refused.push(...list);
    else
      for (const ended of list)
        for (const command of yield* commandsOf(live, ended, now)) {
          const tooLarge = sizeRefusal(command.params);
          if (tooLarge === undefined) starts.push({ command, ended });
          else tooMuch.push(oversizeOf(command, ended, tooLarge));
        }
  }
  const queued = yield* queueCommands(
    self,
    starts.map(({ command }) => command),
    now,
  );
  const entries = starts.map(({ command, ended }, k) => entryOf(command, ended, queued[k]));
  yield* remember([...entries, ...tooMuch, ...offline, ...refused.map(refusalOf)], now);
  const runs = queued.filter(({ taken }) => taken === undefined).map(({ run }) => run);
  return { runs, more: due.length === limit };
}

/** Takes the first endings that no other operation is taking. */
function* takeDue(limit: number): Operation<readonly Due[]> {
  const first = (column: string) => `SELECT ${column} FROM trigger_due ORDER BY created_at, run LIMIT ?1`;
  const returning = `RETURNING workflow, run, round, project, name, state, business_time AS "businessTime", outputs, chain`;
  const taken = yield* rows<Due>(
    {
      sqlite: `DELETE FROM trigger_due WHERE (workflow, run, round) IN (${first('workflow, run, round')}) ${returning}`,
      postgres: `DELETE FROM trigger_due WHERE ctid = ANY (ARRAY(${first('ctid')} FOR UPDATE SKIP LOCKED)) ${returning}`,
    },
    limit,
  );
  return taken.toSorted((a, b) => a.run - b.run || a.round - b.round);
}

/** The live version of a workflow, locked until the commit; undefined if it was deleted. */
function* lockLive(id: number): Operation<WorkflowVersion | undefined> {
  const found = yield* row<{ version: number; body: string; offline: number | null }>(
    {
      sqlite: liveText,
      postgres: `${liveText} FOR UPDATE OF w`,
    },
    id,
  );
  if (!found) return undefined;
  const { version, body, offline } = found;
  return { id, version, workflow: readOr(body, {} as Workflow), offlineSince: offline ?? undefined };
}

const liveText = `SELECT v.version, v.body, w.offline_since AS offline FROM workflow w
  JOIN workflow_version v ON v.workflow = w.id AND v.version = w.live WHERE w.id = ?1 AND w.deleted_at IS NULL`;

/** Chains of triggers are cut here, in case of a cycle although publishing refuses cycles. */
const LONGEST_CHAIN = 100;

/** Commands of a workflow's triggers that this ending completes. */
function* commandsOf(live: WorkflowVersion, ended: Due, now: number): Operation<Command[]> {
  const commands: Command[] = [];
  if (ended.chain >= LONGEST_CHAIN) return commands;
  for (const trigger of live.workflow.triggers) {
    const { after, enabled } = trigger;
    if (!after || !enabled || !hears(after, live.workflow.project, ended)) continue;
    if (!(yield* isCallable({ ...ended, from: live.workflow.project }))) continue;
    const outputs = yield* completes(live, trigger.name, after, ended, now);
    if (outputs) commands.push(commandOf(live, trigger, ended, outputs));
  }
  return commands;
}

function hears({ workflows, states }: AfterSpec, home: string, { project, name, state }: Ending): boolean {
  const named = workflows.some((one) => one.name === name && (one.project ?? home) === project);
  return named && hearsOf(states, state);
}

/** Outputs for the started run, once every workflow that the trigger waits for has ended. */
function* completes(
  { id, workflow }: WorkflowVersion,
  trigger: string,
  { workflows, when }: AfterSpec,
  { project, name, run, outputs }: Ending,
  now: number,
): Operation<Record<string, string> | undefined> {
  if (when === 'any' || workflows.length === 1) return JSON.parse(outputs);
  yield* change(
    `INSERT INTO trigger_mark (workflow, name, on_project, on_name, run, outputs, marked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (workflow, name, on_project, on_name) DO UPDATE SET
       run = excluded.run, outputs = excluded.outputs, marked_at = excluded.marked_at`,
    id,
    trigger,
    project,
    name,
    run,
    outputs,
    now,
  );
  const marks = yield* rows<{ on_project: string; on_name: string; outputs: string }>(
    'SELECT on_project, on_name, outputs FROM trigger_mark WHERE workflow = ?1 AND name = ?2 ORDER BY marked_at',
    id,
    trigger,
  );
  const isMarked = (of: AfterSpec['workflows'][number]) =>
    marks.some((mark) => mark.on_name === of.name && mark.on_project === (of.project ?? workflow.project));
  if (!workflows.every(isMarked)) return undefined;
  yield* change('DELETE FROM trigger_mark WHERE workflow = ?1 AND name = ?2', id, trigger);
  // Later endings override earlier ones.
  return Object.assign({}, ...marks.map((mark) => JSON.parse(mark.outputs)), JSON.parse(outputs));
}

function commandOf(
  live: WorkflowVersion,
  { name, params, priority }: TriggerSpec,
  ended: Ending,
  outputs: Readonly<Record<string, string>>,
): Command {
  const { run, state, businessTime, chain } = ended;
  const workflow = `${ended.project}/${ended.name}`;
  return startCommand(live, {
    trigger: 'dependency',
    businessTime,
    params: triggerParameters(params, { run, workflow, state, outputs }),
    priority,
    cause: { trigger: name, run, workflow, chain: chain + 1 },
  });
}

/** History entry of the ended run about the run it started. */
function entryOf(
  { project, name, request }: Command,
  { run, round }: Ending,
  { run: started, taken }: QueuedCommand,
): HistoryEntry {
  const of = { actor: `trigger ${request.cause?.trigger}`, kind: 'run', subject: String(run) } as const;
  if (taken !== undefined) {
    const reason = `started no run of ${project}/${name}: ${whyTaken(taken)}`;
    return { ...of, action: 'trigger-refused', body: { run: taken, reason, round } };
  }
  const reason = `started run ${started} of ${project}/${name}`;
  return { ...of, action: 'triggered', body: { run: started, reason, round } };
}

/** Records that its outputs, with the trigger's parameters, are too large for a worker. */
function oversizeOf({ project, name, request }: Command, { run, round }: Ending, why: Said): HistoryEntry {
  const body = { reason: `started no run of ${project}/${name}: ${english(why)}`, round };
  const actor = `trigger ${request.cause?.trigger}`;
  return { actor, kind: 'run', subject: String(run), action: 'trigger-refused', body };
}

/** Records what would have started if its workflow were online. */
function offlineOf({ workflow }: WorkflowVersion, ended: Due): HistoryEntry[] {
  const { project, name, triggers } = workflow;
  if (!Array.isArray(triggers)) return [refusalOf(ended)];
  const { run, round } = ended;
  return triggers
    .filter(({ after, enabled }) => after && enabled && hears(after, project, ended))
    .map((trigger) => ({
      actor: `trigger ${trigger.name}`,
      kind: 'run',
      subject: String(run),
      action: 'trigger-refused',
      body: { reason: `started no run of ${project}/${name}: ${whyOffline(project, name)}`, round },
    }));
}

function refusalOf({ workflow, run, round }: Due): HistoryEntry {
  const reason = `workflow ${workflow}, which may start after this one, cannot be read`;
  const body = { reason, round };
  return { actor: 'trigger', kind: 'run', subject: String(run), action: 'trigger-refused', body };
}

/** Deletes the marks of triggers that no longer exist, or no longer wait for the workflow. */
export function* alignMarks(id: number, { project, triggers }: Workflow): Operation<void> {
  const marks = yield* rows<{ name: string; on_project: string; on_name: string }>(
    'SELECT name, on_project, on_name FROM trigger_mark WHERE workflow = ?1',
    id,
  );
  for (const { name, on_project, on_name } of marks) {
    const after = triggers.find((trigger) => trigger.name === name)?.after;
    if (after?.workflows.some((one) => one.name === on_name && (one.project ?? project) === on_project))
      continue;
    yield* change(
      'DELETE FROM trigger_mark WHERE workflow = ?1 AND name = ?2 AND on_project = ?3 AND on_name = ?4',
      id,
      name,
      on_project,
      on_name,
    );
  }
}
