/**
 * One attempt on its worker.
 * States: running -> stopping (asked to end) -> over (its function has settled, or has not within the grace)
 * -> reported, once all its processes are gone and its log is closed.
 */
import type { LogFields } from '@orrery/core/log';
import { expandOnly } from '@orrery/core/params';
import type { Outcome } from '@orrery/core/run';
import { attemptNameText } from '@orrery/core/run/attempt';
import type { ClockTimer } from '@orrery/core/timing';
import type { Assignment, Report } from '@orrery/wire/frames';
import type { GuardRoom } from '../guard/guarded-process.ts';
import { workerFault } from '../health/worker-fault.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { headline } from '../log/headline.ts';
import type { LogBook } from '../log/log-book.ts';
import { maskText } from '../log/mask.ts';
import type { LogWriter } from '../log/writer.ts';
import { type Plugin, type TaskContext, TaskFailure } from '../plugin/contract.ts';
import type { Registry } from '../plugin/registry.ts';
import type { KeepHandle, Running, StopCause } from '../session/executor.ts';
import { stoppedOutcome } from '../session/stopped-outcome.ts';
import { Application, endOf } from './application.ts';
import { taskContext } from './context.ts';
import { failedOutcome } from './outcome.ts';
import { Outputs } from './outputs.ts';
import { AttemptProcesses } from './processes.ts';
import { WorkFolder } from './work-folder.ts';

/** Limit of one poll of a waiting task, and the shortest pause between two. */
const LONGEST_POLL = 60_000;
const MOST_OFTEN = 100;

/** The task type of an attempt, and the context it is called with. */
export interface Prepared {
  readonly plugin: Plugin;
  readonly context: TaskContext<unknown>;
}

/** What the attempts of a worker share. */
export interface AttemptRoom extends GuardRoom {
  readonly worker: string;
  readonly registry: Registry;
  readonly logs: LogBook;
  /** The parent of the work folders. */
  readonly work: string;
  /** The users that tasks run as, and their isolation. */
  readonly isolation: Isolation;
  /** Variables that every task process inherits. */
  readonly environment: Readonly<Record<string, string>>;
  /** The prefix of all guard marks of this worker's life. */
  readonly marks: string;
  readonly killGrace: number;
  readonly logLimit: number;
  readonly warn: (text: string, fields?: LogFields) => void;
  /** Called after an error that this machine may have caused. */
  readonly suspect?: () => void;
}

/** Log fields that identify an attempt. */
export function attemptFields({ attempt, taskName, project, workflow }: Assignment): LogFields {
  const { run } = attempt;
  return { project, workflow, run, attempt: attemptNameText({ ...attempt, task: taskName }) };
}

/** Runs one assignment. Creates log, folder and processes only when needed. */
export class Attempt implements Running {
  readonly assignment: Assignment;
  readonly room: AttemptRoom;
  readonly outputs = new Outputs();
  readonly folder: WorkFolder;
  readonly processes: AttemptProcesses;
  private readonly ended: (report: Report) => void;
  private readonly application: Application;
  private prepared: Prepared | undefined;
  private readonly startedAt: number;
  private cause: StopCause | undefined;
  private over = false;
  private isWait = false;
  private stopping: AbortController | undefined;
  private writer: LogWriter | undefined;
  private lastResort: ClockTimer | undefined;

  constructor(
    room: AttemptRoom,
    assignment: Assignment,
    ended: (report: Report) => void,
    keep: KeepHandle = async () => false,
  ) {
    this.room = room;
    this.assignment = assignment;
    this.ended = ended;
    this.application = new Application(keep, assignment.handle);
    this.startedAt = room.clock.now();
    this.folder = new WorkFolder(room.work, assignment.attempt);
    this.processes = new AttemptProcesses(this);
  }

  /** Starts. An attempt that neither waits nor writes is reported before this returns. */
  begin(): void {
    try {
      const settled = this.call();
      if (settled === undefined) this.end();
      else
        Promise.resolve(settled).then(
          () => this.end(),
          (error) => this.end({ error }),
        );
    } catch (error) {
      this.end({ error });
    }
  }

  stop(cause: StopCause): void {
    if (this.over || this.cause) return;
    this.cause = cause;
    this.stopping?.abort(new TaskFailure(stoppedOutcome(this.room.worker, cause).error));
    void this.processes.stop().then(() => this.waitForFunction());
  }

  /** Aborted when the attempt is to end. */
  get signal(): AbortSignal {
    if (!this.stopping) {
      this.stopping = new AbortController();
      if (this.cause) this.stopping.abort();
    }
    return this.stopping.signal;
  }

  /** The log, opened with a line that names the attempt. */
  get log(): LogWriter {
    this.writer ??= this.openLog();
    return this.writer;
  }

  /** Writes a line of the task to the log. Lines written after the attempt is over are dropped. */
  write(line: string): void {
    if (!this.over) this.log.write(Buffer.from(`${line}\n`));
  }

  /** Writes a line about the task to the log. */
  note(line: string): void {
    if (!this.over) this.log.mark(line);
  }

  /** Settles once the handle of what the attempt has started elsewhere is committed. */
  hold(handle: string, outlives: boolean): Promise<void> {
    return Promise.race([this.application.hold(handle, outlives), aborted(this.signal)]);
  }

  /** Closes the log and removes the folder of an attempt that never started. */
  async dismiss(word: string): Promise<void> {
    await this.room.logs.close(this.log, `${new Date(this.room.clock.now()).toISOString()} ${word}`);
    await this.folder.remove(this.room.warn);
  }

  private call(): void | Promise<void> {
    this.prepared = this.prepare();
    const { plugin, context } = this.prepared;
    return plugin.poll ? this.pollUntilDone(plugin.poll, context) : plugin.run?.(context);
  }

  /** Finds its task type and checks its settings. */
  prepare(): Prepared {
    const { type, with: given, params } = this.assignment;
    const plugin = this.room.registry.get(type);
    if (!plugin) {
      const names = [...this.room.registry.keys()].join(', ');
      throw new TaskFailure(`unknown task type "${type}"; this worker has: ${names}`, { fatal: true });
    }
    const settings = plugin.binds ? given : putIntoStatements(given, params);
    const { success, data, error } = plugin.schema.safeParse(settings ?? {});
    if (success) return { plugin, context: taskContext(this, data) };
    const wrong = error.issues.map(({ path, message }) => `${['with', ...path].join('.')}: ${message}`);
    throw new TaskFailure(wrong.join('; '), { fatal: true });
  }

  /** Polls until done. Each poll has its own limit, and nothing stays open between two polls. */
  private async pollUntilDone(
    poll: NonNullable<Plugin['poll']>,
    context: TaskContext<unknown>,
  ): Promise<void> {
    this.isWait = true;
    for (let state: unknown; ; ) {
      const late = AbortSignal.timeout(LONGEST_POLL);
      const signal = AbortSignal.any([this.signal, late]);
      const answer = await Promise.race([
        poll(Object.create(context, { signal: { value: signal } }), state),
        aborted(signal),
      ]).catch((error) => {
        throw late.aborted ? new TaskFailure(`a look took longer than ${LONGEST_POLL} ms`) : error;
      });
      if (answer.done) return;
      state = answer.state;
      await context.sleep(Math.max(MOST_OFTEN, answer.after));
    }
  }

  /**
   * Code inside the worker cannot be killed. If it does not end by itself, it is left running and reported.
   */
  private waitForFunction(): void {
    if (this.over) return;
    this.lastResort = this.room.clock.setTimer(this.room.killGrace, () => {
      this.room.warn(
        `a ${this.assignment.type} task did not end when told to; its code may still run`,
        attemptFields(this.assignment),
      );
      this.end();
    });
  }

  private end(thrown?: { readonly error: unknown }): void {
    if (this.over) return;
    this.over = true;
    this.lastResort?.cancel();
    const isPlain = !this.writer && !this.folder.path && !this.outputs.any && this.processes.none;
    if (isPlain && this.application.handle === undefined) {
      this.report(this.outcome(thrown), undefined);
    } else {
      this.conclude(thrown).catch((error) => this.report(this.outcome(thrown ?? { error }), undefined));
    }
  }

  private async conclude(thrown: { readonly error: unknown } | undefined): Promise<void> {
    await this.processes.stop();
    await this.endOrLeave(thrown);
    let values: Record<string, string> | undefined;
    try {
      const finished = this.outputs.finish(this.folder.outputFile, this.folder.owner);
      values = finished.values && masked(finished.values, this.assignment.secrets);
      for (const problem of finished.problems) this.log.mark(problem);
    } catch (error) {
      thrown ??= { error };
    }
    const outcome = this.outcome(thrown, values);
    const logTail = await this.closeLog(outcome);
    await this.folder.remove(this.room.warn);
    const { error } = outcome;
    this.report(error === undefined ? outcome : { ...outcome, error: headline(error, logTail) }, logTail);
  }

  /** Ends what the attempt has started elsewhere, unless another worker takes it over. */
  private async endOrLeave(thrown: { readonly error: unknown } | undefined): Promise<void> {
    const { handle, outlives } = this.application;
    const { state } = this.outcome(thrown);
    if (handle === undefined || (outlives && (state === 'lost' || state === 'withdrawn'))) return;
    if (state === 'success' || !this.prepared || (await endOf(this, this.prepared, handle)))
      this.application.letGo();
  }

  private outcome(thrown?: { readonly error: unknown }, outputs?: Record<string, string>): Outcome {
    const { worker } = this.room;
    // Handed back: a wait loses nothing, and another worker takes over the wait or what was started
    // elsewhere.
    const { handle, outlives } = this.application;
    const goesOn = this.isWait || (handle !== undefined && outlives);
    if (this.cause === 'worker-stopped' && goesOn)
      return { state: 'withdrawn', worker, error: 'its worker was stopped' };
    if (this.cause) return stoppedOutcome(worker, this.cause);
    if (thrown) {
      const { work, logs } = this.room;
      const fault = this.processes.ran ? undefined : workerFault(thrown.error, [work, logs.folder]);
      if (fault !== undefined) return { state: 'withdrawn', worker, error: fault };
      return failedOutcome(worker, thrown.error, this.assignment.secrets);
    }
    return { state: 'success', worker, outputs };
  }

  private report(outcome: Outcome, logTail: string | undefined): void {
    const { exitCode, cpuTime, peakMemory } = this.processes;
    const { attempt } = this.assignment;
    const { startedAt } = this;
    const endedAt = this.room.clock.now();
    this.ended({ attempt, outcome, startedAt, endedAt, exitCode, cpuTime, peakMemory, logTail });
  }

  private openLog(): LogWriter {
    const { workflow, attempt, taskName, type, secrets, shardCount } = this.assignment;
    const { clock, logLimit, worker } = this.room;
    const writer = this.room.logs.write(workflow, attempt, { limit: logLimit, secrets, clock });
    const shard = attempt.shard < 0 ? '' : `, shard ${attempt.shard} of ${shardCount}`;
    const time = new Date(this.startedAt).toISOString();
    writer.mark(
      `${time} run ${attempt.run}, task ${taskName} (${type})${shard}, attempt ${attempt.number}, worker ${worker}`,
    );
    return writer;
  }

  /** Closes the log. Returns its end if the attempt did not succeed. */
  private async closeLog({ state, error }: Outcome): Promise<string | undefined> {
    const { writer } = this;
    if (!writer) return undefined;
    const time = new Date(this.room.clock.now()).toISOString();
    await this.room.logs.close(writer, `${time} ${state}${error === undefined ? '' : `: ${error}`}`);
    if (writer.problem) {
      this.room.warn(
        `bytes are missing in ${writer.path}: ${writer.problem}`,
        attemptFields(this.assignment),
      );
      this.room.suspect?.();
    }
    return state === 'success' ? undefined : writer.tail();
  }
}

/** Rejects when a signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Substitutes parameters into the texts under `sql`, for a plugin that does not bind them. */
function putIntoStatements(value: unknown, params: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((entry) => putIntoStatements(entry, params));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      name === 'sql' && typeof entry === 'string'
        ? expandOnly(entry, (parameter) => params[parameter])
        : putIntoStatements(entry, params),
    ]),
  );
}

/** Outputs are stored and shown, so secrets in them are masked as in the log. */
function masked(
  values: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Record<string, string> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([name, value]) => [name, maskText(value, secrets)]));
}
