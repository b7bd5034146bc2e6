/**
 * From command to run: decides which starts begin at once, which wait for a slot, which are discarded, and
 * which runs a new one replaces.
 */
import { admitRun, type OpenRun } from '@orrery/core/admit';
import { countsAsRun, type GivenParameters } from '@orrery/core/run';
import { type Operation, rows, together } from '../../operation.ts';
import { insert } from '../../table.ts';
import { factTable, runTable } from '../../tables.ts';
import { type Alert, raise } from '../alerting/alerts.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { admitNext, askLimits, runHolder } from '../limits/admission.ts';
import { LimitBook } from '../limits/limit-book.ts';
import { setCaps, underCaps } from '../limits/run-caps.ts';
import { setCommandsAside, writeErrors } from './bad-commands.ts';
import {
  type Command,
  claimCommands,
  claimImpatient,
  removeCommands,
  runEvent,
  type StoredCommand,
} from './commands.ts';
import { CREATED, runRow } from './created-run.ts';
import { appendEvents, type FeedWriter } from './feed.ts';
import { givenTo } from './given-parameters.ts';
import { claimInboxes, readInboxes, type ToldMessage, tell, toldAmong } from './inbox.ts';
import { tellControls } from './reopen.ts';
import { endingRow, queueEndings } from './triggers.ts';

/**
 * A run just created from its command, already started: its owner only has to decide what that means for its
 * tasks.
 */
export interface ClaimedStart {
  readonly run: number;
  readonly command: Command;
  /** Parameters from the run's project, stored with the run. */
  readonly given?: GivenParameters;
}

/** Work a master can take up now. */
export interface ClaimedWork {
  /** Messages of runs it already owned. */
  readonly messages: readonly ToldMessage[];
  /** Runs without an owner whose inboxes have messages. */
  readonly orphans: readonly number[];
  readonly starts: readonly ClaimedStart[];
  /** There may be more commands, for the next claim. */
  readonly more: boolean;
}

/** Claims waiting work, up to a limit of each kind, and reads the messages of this master's runs. */
export function* claimWork(input: {
  readonly self: Self;
  readonly orphans: number;
  readonly starts: number;
  readonly now: number;
}): Operation<ClaimedWork> {
  const { self, now } = input;
  const [, messages, orphans, claimed] = yield* together(
    checkSelf(self),
    readInboxes(self),
    claimInboxes(self, input.orphans),
    claimStarts(self, input.starts, now),
  );
  return { messages, orphans, ...claimed };
}

/** The same as text: sending commands to another thread as text costs a quarter of sending objects. */
export function* claimWorkText(input: Parameters<typeof claimWork>[0]): Operation<string> {
  return JSON.stringify(yield* claimWork(input));
}

/**
 * Limit of commands per claim unless it asks for more, even if few of their runs may start: the claimer beats
 * over the same connection and must not be taken for dead meanwhile.
 */
const MOST = 200;

/**
 * Claims waiting commands in (priority, seq), creates their runs and consumes them in one transaction. Runs
 * that must wait for a slot are created without an owner, and get a message on admission.
 */
function* claimStarts(
  self: Self,
  limit: number,
  now: number,
): Operation<Pick<ClaimedWork, 'starts' | 'more'>> {
  const starts: ClaimedStart[] = [];
  for (let left = Math.max(limit, MOST); starts.length < limit && left > 0; ) {
    const wanted = Math.min(limit - starts.length, left);
    const { commands, bad } = yield* claimCommands(wanted);
    yield* setCommandsAside(self, bad, now);
    starts.push(...(yield* createRuns(self, commands, now)));
    const claimed = commands.length + bad.length;
    if (claimed < wanted) return { starts, more: false };
    left -= claimed;
  }
  return { starts, more: true };
}

/** Creates the runs of claimed commands; runs that may start belong to the claimer and are returned. */
function* createRuns(self: Self, commands: readonly StoredCommand[], now: number): Operation<ClaimedStart[]> {
  const [given, caps, told] = yield* together(
    givenTo(commands.map(({ command }) => command.project)),
    setCaps(commands.map(({ command }) => command)),
    // Only a parent sends messages to a run that does not exist yet.
    toldAmong(commands.filter(({ command }) => command.parent).map(({ run }) => run)),
  );
  // All caps are locked at once in name order, so that concurrent claims take turns.
  if (caps.size > 0) yield* new LimitBook().lock(caps);
  const claimed = commands.map((start) => ({ ...start, command: underCaps(start.command, caps) }));
  // A run with a pause in its inbox must handle it before it starts.
  const waiting = new Set<number>(told);
  const ends = new Map<number, Extract<Verdict, { reason: string }>>();
  const limited = claimed.filter(({ command }) => command.admission).toSorted((a, b) => a.run - b.run);
  for (const line of inLines(limited)) {
    const verdicts = yield* admission(self, line, now);
    line.forEach(({ run }, k) => {
      const verdict = verdicts[k];
      if ('reason' in verdict) ends.set(run, verdict);
      else if (verdict.verdict === 'wait') waiting.add(run);
    });
  }
  const givenOf = ({ command }: StoredCommand) => given.get(command.project);
  yield* insert(
    runTable,
    claimed.map((start) => {
      const end = ends.get(start.run);
      if (end) return runRow(start, null, { state: endOf(end), reason: end.reason }, now);
      if (waiting.has(start.run)) return runRow(start, null, { state: 'waiting' }, now);
      return runRow(start, self, { state: 'running', given: givenOf(start) }, now);
    }),
  );
  const ended = claimed.flatMap((start) => {
    const end = ends.get(start.run);
    return end ? [{ ...start, state: endOf(end), reason: end.reason }] : [];
  });
  const halted = claimed.filter(({ run }) => waiting.has(run));
  yield* tellEnd(self, ended, now);
  yield* appendEvents(
    self,
    halted.map((start) => runEvent(start, 'waiting', CREATED)),
    now,
  );
  return claimed
    .filter(({ run }) => !waiting.has(run) && !ends.has(run))
    .map((start) => ({ run: start.run, command: start.command, given: givenOf(start) }));
}

/** Withdraws unclaimed commands and records their runs as stopped; returns them. */
export function* withdrawStarts(
  writer: FeedWriter,
  input: { readonly runs: readonly number[]; readonly reason?: string; readonly now: number },
): Operation<readonly number[]> {
  const { runs, reason, now } = input;
  const { commands: starts, bad } = yield* removeCommands(runs);
  yield* setCommandsAside(writer, bad, now);
  if (starts.length === 0) return [];
  yield* endStarts(writer, starts, { state: 'stopped', reason }, now);
  return starts.map(({ run }) => run);
}

/** Fails starts that must not wait for room and were created before a time; returns how many. */
export function* failStarts(input: {
  readonly self: Self;
  readonly before: number;
  readonly limit: number;
  readonly now: number;
}): Operation<number> {
  const { self, before, limit, now } = input;
  yield* checkSelf(self);
  const { commands: starts, bad } = yield* claimImpatient(before, limit);
  yield* setCommandsAside(self, bad, now);
  if (starts.length === 0) return 0;
  const reason = 'no master had room for it, and its workflow says "onNoRoom: fail"';
  yield* endStarts(self, starts, { state: 'failed', reason }, now);
  return starts.length;
}

/** Records the runs of removed commands as ended, and admits those behind them. */
function* endStarts(
  writer: FeedWriter,
  starts: readonly StoredCommand[],
  end: { readonly state: EndState; readonly reason?: string },
  now: number,
): Operation<void> {
  yield* insert(
    runTable,
    starts.map((start) => runRow(start, null, end, now)),
  );
  yield* tellEnd(
    writer,
    starts.map((start) => ({ ...start, ...end })),
    now,
  );
  const lines = starts.flatMap(({ command }) => command.admission?.needs[0]?.name ?? []);
  if (lines.length > 0) yield* admitNext(new LimitBook(), [...new Set(lines)], now);
}

/** End states of a run that never began. */
type EndState = 'stopped' | 'failed';

type Verdict = { verdict: 'start' | 'wait' } | { verdict: 'discard' | 'fail'; reason: string };

function endOf({ verdict }: Extract<Verdict, { reason: string }>): EndState {
  return verdict === 'fail' ? 'failed' : 'stopped';
}

/** Whether a run's admission depends on the runs open when its turn comes. */
function looksAround({ command }: StoredCommand): boolean {
  return command.admission?.mode === 'serial-discard' || command.admission?.mode === 'serial-priority';
}

/**
 * Splits starts, in order, into lists whose slots can be requested at once; one that depends on open runs
 * stands alone.
 */
function inLines(starts: readonly StoredCommand[]): readonly (readonly StoredCommand[])[] {
  const lines: StoredCommand[][] = [];
  let isOpen = false;
  for (const start of starts) {
    const alone = looksAround(start);
    if (alone || !isOpen) lines.push([start]);
    else lines.at(-1)?.push(start);
    isOpen = !alone;
  }
  return lines;
}

/** Admits new runs by their serial modes, then by their limits. */
function* admission(self: Self, line: readonly StoredCommand[], now: number): Operation<readonly Verdict[]> {
  const [first] = line;
  if (looksAround(first)) {
    const decided = yield* bySerialMode(self, first, now);
    if (decided.verdict === 'discard') return [decided];
  }
  const asking = line.map(({ run, command: { admission, workflow, onNoRoom } }) => {
    const needs = admission?.needs ?? [];
    // Runs of one workflow form a line only if it has a limit of its own.
    const inLine = needs[0]?.slots === undefined ? null : workflow;
    return { ...runHolder(run), workflow: inLine, needs, fails: onNoRoom === 'fail' };
  });
  const grants = yield* askLimits(asking, now);
  return grants.map((grant, k): Verdict => {
    if (grant.granted) return { verdict: 'start' };
    return asking[k].fails ? { verdict: 'fail', reason: `no room: ${grant.reason}` } : { verdict: 'wait' };
  });
}

/** Whether a run is discarded because others are open; runs it replaces are stopped. */
function* bySerialMode(self: Self, { run, command }: StoredCommand, now: number): Operation<Verdict> {
  const { mode = 'parallel', needs = [] } = command.admission ?? {};
  // Locked first, so that the following reads stay valid until the commit.
  yield* new LimitBook().open(needs);
  const open = yield* openRuns(command.workflow, needs[0].name);
  const decided = admitRun(mode, needs[0].slots, run, open);
  if (decided.verdict === 'discard') return decided;
  if (decided.verdict === 'replace') {
    const reason = `run ${run} replaces it`;
    for (const earlier of decided.stop) {
      const [withdrawn] = yield* withdrawStarts(self, { runs: [earlier], reason, now });
      if (withdrawn !== undefined) continue;
      const message = { type: 'control', control: { type: 'stop' }, by: reason } as const;
      yield* tellControls([{ run: earlier, message }], now);
    }
  }
  return { verdict: 'start' };
}

/** Open runs of a workflow: those that hold its slots, those that wait, and unclaimed ones. */
function* openRuns(workflow: number, limit: string): Operation<OpenRun[]> {
  const found = yield* rows<{ run: number; admitted: number }>(
    `SELECT run, 1 AS admitted FROM limit_slot WHERE name = ?1
     UNION ALL SELECT run, 0 FROM limit_wait WHERE workflow = ?2
     UNION ALL SELECT seq, 0 FROM command WHERE workflow = ?2 AND limited = 1`,
    limit,
    workflow,
  );
  return found.map(({ run, admitted }) => ({ id: run, seq: run, admitted: admitted === 1 }));
}

/** A start whose run ended before it began. */
interface EndedStart extends StoredCommand {
  readonly state: EndState;
  readonly reason?: string;
}

/** Informs dependents, parents, people and live clients about runs that ended before they began. */
function* tellEnd(writer: FeedWriter, ended: readonly EndedStart[], now: number): Operation<void> {
  yield* insert(
    factTable,
    // A backfill does not count for its workflow; the runs it starts do.
    ended
      .filter(({ command }) => command.kind === 'normal')
      .map(({ run, command, state }) => ({
        workflow: command.workflow,
        business_time: command.request.businessTime,
        run,
        round: 1,
        state,
        tasks: '{}',
        ended_at: now,
        counts: Number(countsAsRun(command.request)),
      })),
  );
  yield* queueEndings(
    ended.filter(isHeardOf).flatMap(({ run, state, command: { kind, project, name, request } }) =>
      kind === 'normal'
        ? [
            endingRow({
              run,
              round: 1,
              project,
              name,
              state,
              businessTime: request.businessTime,
              outputs: '{}',
              chain: request.cause?.chain ?? 0,
            }),
          ]
        : [],
    ),
    now,
  );
  yield* tell(
    ended.flatMap(({ run, state, command: { parent } }) =>
      parent ? [{ run: parent.run, message: { type: 'child', ...parent, run, state } as const }] : [],
    ),
    now,
  );
  yield* writeErrors(
    ended.flatMap(({ run, state, reason }) => (state === 'failed' && reason ? [{ run, reason }] : [])),
  );
  yield* raise(writer, ended.filter(isHeardOf).flatMap(failureAlert), now);
  yield* appendEvents(
    writer,
    ended.map((start) => runEvent(start, start.state, CREATED)),
    now,
  );
}

/** Whether triggers and people learn about its end. */
function isHeardOf({ command: { request } }: EndedStart): boolean {
  return !request.silent && countsAsRun(request);
}

function failureAlert({ run, state, reason, command }: EndedStart): Alert[] {
  if (state !== 'failed' || command.parent) return [];
  const { workflow, project, name, request } = command;
  const about = { workflow, project, name, run, from: request.businessTime, to: null };
  return [{ ...about, kind: 'run-failed', text: reason ?? 'failed' }];
}
