/**
 * A task process behind its guard.
 * States: running -> ending (the guard has ended or was killed, and the rest of the task is killed) -> gone,
 * which is reached only when its group is empty and no process carries its mark.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Clock } from '@orrery/core/timing';
import { environmentText } from '../isolation/launch.ts';
import { eraseTag, freshTag, recordTag } from '../isolation/tag.ts';
import { eraseGroup, recordGroup } from './group-record.ts';
import { GUARD_SCRIPT, readGuardWords } from './guard-script.ts';
import type { Keeper } from './keeper.ts';
import type { OutputPipe, OutputPipes } from './output-pipe.ts';
import type { ProcessScan } from './process-scan.ts';
import { MARK_VARIABLE, signalCarrier, signalGroup, statOf } from './processes.ts';
import { sweep } from './sweep.ts';
import type { Usage, UsageMeter } from './usage.ts';

/** How long the pipe may stay silent once all known holders are gone, and how often it may deliver data. */
const LAST_OUTPUT = 1_000;
const LAST_OUTPUTS = 30;

/** What the guarded processes of a worker share. */
export interface GuardRoom {
  readonly clock: Clock;
  readonly scan: ProcessScan;
  readonly keeper: Keeper;
  readonly meter: UsageMeter;
  readonly pipes: OutputPipes;
  /** The folder of group records. */
  readonly groups: string;
}

/** The process to run. `environment` is its whole environment, apart from the mark. */
export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: string;
  /** A prefix for the guard's command, for the worker's own user. */
  readonly prefix?: readonly string[];
  /** Builds the prefix for the guard's command that runs as another user, with this tag and in `cwd`. */
  readonly confine?: (tag: number) => readonly string[];
}

/** How the process ended. Without an exit code, its guard was killed before it could report. */
export interface GuardedEnd extends Usage {
  readonly exitCode?: number;
}

/** Starts a guarded process. Throws if the system cannot start any process, with the reason. */
export async function startGuarded(room: GuardRoom, command: GuardedCommand): Promise<GuardedProcess> {
  room.keeper.require();
  const { mark, confine } = command;
  const tag = confine && freshTag();
  if (tag !== undefined) {
    // Recorded before any process has the tag: the cleanup after a killed worker must know it.
    recordTag(room.groups, { tag, mark });
    room.scan.tags.set(tag, mark);
  }
  let pipe: OutputPipe | undefined;
  try {
    pipe = await room.pipes.open();
    const child = await spawned(command, tag === undefined ? undefined : confine?.(tag), pipe?.end ?? 'pipe');
    return new GuardedProcess(room, mark, child, pipe?.output ?? (child.stdout as Socket), tag);
  } catch (error) {
    pipe?.output.destroy();
    forgetTag(room, tag);
    throw error;
  } finally {
    if (pipe) closeSync(pipe.end);
  }
}

function forgetTag({ groups, scan }: GuardRoom, tag: number | undefined): void {
  if (tag === undefined) return;
  scan.tags.delete(tag);
  eraseTag(groups, tag);
}

/** One running task process, its output and its end. */
export class GuardedProcess {
  /** Standard output and error as one stream, in the order written. Must be read. */
  readonly output: Socket;
  /** Settles when no process of it is left. */
  readonly gone: Promise<GuardedEnd>;
  private readonly room: GuardRoom;
  /** The group of its processes. */
  readonly group: number;
  private readonly mark: string;
  private readonly tag: number | undefined;
  private readonly guardEnded: Promise<void>;
  /** Once false, the group's number may be reused; only the sweep can tell. */
  private running = true;
  private words = '';
  private stopping: Promise<void> | undefined;

  constructor(room: GuardRoom, mark: string, child: ChildProcess, output: Socket, tag: number | undefined) {
    const words = child.stdio[3] as Socket;
    this.room = room;
    this.mark = mark;
    this.tag = tag;
    this.group = child.pid as number;
    this.output = output;
    words.setEncoding('latin1').on('data', (text: string) => {
      this.words += text;
    });
    const wordsEnded = new Promise<void>((resolve) => words.once('close', resolve));
    this.guardEnded = new Promise((resolve) => {
      child.once('exit', () => {
        this.running = false;
        resolve(wordsEnded);
      });
    });
    this.gone = this.end();
  }

  /**
   * Asks it to end, and kills it after `grace` milliseconds. Settles when it is gone. Only the first call
   * counts.
   */
  stop(grace: number): Promise<void> {
    this.stopping ??= this.askThenKill(grace);
    return this.stopping;
  }

  private async askThenKill(grace: number): Promise<void> {
    const timer = this.room.clock.setTimer(grace, () => this.signal('SIGKILL'));
    this.signal('SIGTERM');
    // A stopped process receives the signal only after SIGCONT.
    this.signal('SIGCONT');
    // Carriers that cannot be seen now are killed in the end.
    for (const carrier of await this.room.scan.carriers().catch(() => [])) {
      const outside = carrier.mark === this.mark && statOf(carrier.pid)?.group !== this.group;
      if (outside) signalCarrier(carrier, 'SIGTERM');
    }
    await this.guardEnded;
    timer.cancel();
    await this.gone;
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.running) signalGroup(this.group, signal);
  }

  private async end(): Promise<GuardedEnd> {
    const { clock, scan, meter, groups } = this.room;
    const record = recordGroup(groups, this.group, this.mark);
    const usage = meter.watch(this.mark);
    await this.guardEnded;
    await sweep(scan, clock, this.group, this.mark);
    if (record) eraseGroup(record);
    forgetTag(this.room, this.tag);
    meter.release(this.mark);
    await this.outputEnded();
    const words = readGuardWords(this.words);
    const cpuTime = words ? Math.max(words.cpuTime, usage.cpuTime ?? 0) : usage.cpuTime;
    return { exitCode: words?.exitCode, cpuTime, peakMemory: usage.peakMemory };
  }

  /** A process that dropped group and mark may still hold the pipe, so the wait for its output is bounded. */
  private async outputEnded(): Promise<void> {
    const { output } = this;
    const closed = new Promise<void>((resolve) => output.once('close', resolve));
    for (let i = 0, read = -1; !output.closed; i++) {
      const silent = output.bytesRead === read && output.readableLength === 0;
      if (silent || i === LAST_OUTPUTS) output.destroy();
      read = output.bytesRead;
      await this.atMost(LAST_OUTPUT, closed);
    }
  }

  private async atMost(milliseconds: number, event: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.room.clock.setTimer(milliseconds, resolve);
    await Promise.race([promise, event]);
    timer.cancel();
  }
}

/**
 * A confined guard has the worker's rights, so it gets none of the task's environment and starts outside the
 * task's folders.
 */
async function spawned(
  { command, args, cwd, environment, mark, prefix = [] }: GuardedCommand,
  confinement: readonly string[] | undefined,
  output: number | 'pipe',
): Promise<ChildProcess> {
  if (process.platform === 'win32') throw new Error('tasks that run processes need a POSIX system');
  if (!confinement && !existsSync(cwd)) throw new Error(`the folder ${cwd} does not exist`);
  const guard = ['-c', GUARD_SCRIPT, 'orrery-guard', ...(confinement ?? prefix), command, ...args];
  const child = spawn('/bin/sh', guard, {
    cwd: confinement ? '/' : cwd,
    env: { ...(confinement ? { PATH: process.env.PATH } : environment), [MARK_VARIABLE]: mark },
    stdio: ['pipe', output, 'ignore', 'pipe', ...(confinement ? (['ignore', 'pipe'] as const) : [])],
    detached: true,
  });
  // Nothing is ever written to the pipe. The exit event reports that the guard's end is closed.
  child.stdin?.on('error', () => {});
  const environmentPipe = confinement && ((child.stdio as readonly unknown[])[5] as Socket);
  environmentPipe?.on('error', () => {});
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  environmentPipe?.end(environmentText(environment));
  return child;
}
