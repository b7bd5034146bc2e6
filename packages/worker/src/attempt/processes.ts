/** The processes of one attempt: started behind guards, their output in its log, ended together. */

import { processMark } from '../guard/guard-mark.ts';
import { type GuardedProcess, startGuarded } from '../guard/guarded-process.ts';
import { WorkerFault, workerFault } from '../health/worker-fault.ts';
import { type ExecOptions, TaskFailure } from '../plugin/contract.ts';
import type { Attempt } from './attempt.ts';
import { taskEnvironment } from './environment.ts';

/** Starts, stops and measures them. */
export class AttemptProcesses {
  /** Exit code of the process that ended last. */
  exitCode: number | undefined;
  cpuTime: number | undefined;
  peakMemory: number | undefined;
  /** Whether any process was started. */
  ran = false;
  private readonly attempt: Attempt;
  private readonly running = new Set<GuardedProcess>();
  /** Calls of `exec` that have not settled, including those whose process is still being started. */
  private readonly calls = new Set<Promise<number>>();
  private started: number;
  private stopped = false;

  /** `first` numbers these processes apart from the attempt's earlier ones. */
  constructor(attempt: Attempt, first = 0) {
    this.attempt = attempt;
    this.started = first;
  }

  /** Whether no process was ever started. */
  get none(): boolean {
    return this.started === 0;
  }

  /** Stops all processes and refuses new ones. Settles when none is left. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const guarded of this.running) guarded.stop(this.attempt.room.killGrace);
    await Promise.allSettled(this.calls);
  }

  /** Runs a process to its end. */
  exec(command: string, args: readonly string[], options: ExecOptions): Promise<number> {
    const call = this.run(command, args, options);
    this.calls.add(call);
    const forget = () => this.calls.delete(call);
    call.then(forget, forget);
    return call;
  }

  private async run(command: string, args: readonly string[], options: ExecOptions): Promise<number> {
    const guarded = await this.start(command, args, options);
    this.running.add(guarded);
    this.attempt.log.process = guarded.group;
    // A stop may have arrived while the process was being started.
    if (this.stopped) void guarded.stop(this.attempt.room.killGrace);
    const [end] = await Promise.all([guarded.gone, this.read(guarded)]);
    this.running.delete(guarded);
    this.attempt.log.process = undefined;
    this.exitCode = end.exitCode;
    if (end.cpuTime !== undefined) this.cpuTime = (this.cpuTime ?? 0) + end.cpuTime;
    if (end.peakMemory !== undefined) this.peakMemory = Math.max(this.peakMemory ?? 0, end.peakMemory);
    this.refuseIfStopped();
    if (end.exitCode === undefined) throw new TaskFailure('its guard was killed, and it with it');
    return end.exitCode;
  }

  private async start(
    command: string,
    args: readonly string[],
    options: ExecOptions,
  ): Promise<GuardedProcess> {
    this.refuseIfStopped();
    const { assignment, room, folder, log } = this.attempt;
    const { isolation } = room;
    const user = isolation.userOf(assignment);
    folder.make();
    if (!this.ran) await this.checkLog();
    if (user) folder.handTo(user);
    const workDir = folder.home;
    const output = folder.outputFile ?? '';
    const { variables, problems } = taskEnvironment(assignment, room.environment, { workDir, output }, user);
    if (this.none) for (const problem of problems) log.mark(problem);
    const { attempt, onLostContact } = assignment;
    const mark = processMark(room.marks, attempt, onLostContact, this.started++);
    const environment = { ...variables, ...options.environment };
    const cwd = options.cwd ?? workDir;
    this.refuseWithoutLease();
    try {
      const guarded = await startGuarded(room, {
        command,
        args,
        cwd,
        environment,
        mark,
        prefix: isolation.limited(),
        confine: user && ((tag) => isolation.confined(user, tag, cwd)),
      });
      this.ran = true;
      return guarded;
    } catch (error) {
      const fault = this.ran ? undefined : workerFault(error, [workDir]);
      if (fault !== undefined) throw new WorkerFault(`cannot start processes: ${fault}`);
      throw new TaskFailure(`cannot start ${command}: ${(error as Error).message}`);
    }
  }

  /** An attempt that cannot be logged does not start: another worker can do better. */
  private async checkLog(): Promise<void> {
    const { log } = this.attempt;
    await log.drained();
    if (log.problem) throw new WorkerFault(`cannot write to ${log.path}: ${log.problem}`);
    this.refuseIfStopped();
  }

  private async read({ output }: GuardedProcess): Promise<void> {
    const { log, outputs } = this.attempt;
    try {
      for await (const chunk of output) {
        outputs.feed(chunk);
        if (!log.write(chunk)) await log.drained();
      }
    } catch (error) {
      log.mark(`its output is not read further: ${(error as Error).message}`);
    }
  }

  /**
   * A worker may freeze between the steps above until other workers have its attempts. No process starts on
   * an expired lease, or the attempt would run twice at once.
   */
  private refuseWithoutLease(): void {
    const { assignment, room } = this.attempt;
    if (assignment.onLostContact === 'kill' && room.keeper.expired)
      throw new TaskFailure('the lease of its worker has run out');
  }

  private refuseIfStopped(): void {
    if (this.stopped) throw new TaskFailure('the attempt is to end');
  }
}
