/**
 * What an attempt has started on another system, by its handle. Its plugin ends it together with the attempt.
 * If the attempt's worker was lost and no attempt takes it over, any worker ends it.
 * States: none -> held (committed by a master) -> let go (it is over), or left to the next attempt.
 */
import { HANDLE_LIMIT } from '@orrery/wire/frames';
import { type TaskContext, TaskFailure } from '../plugin/contract.ts';
import type { KeepHandle } from '../session/executor.ts';
import type { Attempt, Prepared } from './attempt.ts';
import { sleep } from './context.ts';
import { AttemptProcesses } from './processes.ts';

/** Limit of how long ending it may take. */
const LONGEST_END = 120_000;
/** Its processes are numbered apart from the attempt's own. */
const FIRST_PROCESS = 1_000;

/** The application of one attempt. */
export class Application {
  /** Undefined while there is none. */
  handle: string | undefined;
  /** Whether it goes on when the worker ends. */
  outlives = true;
  private readonly keep: KeepHandle;

  constructor(keep: KeepHandle, handle: string | undefined) {
    this.keep = keep;
    this.handle = handle;
  }

  /**
   * Settles once a master has committed the handle. Throws if the attempt was given to another worker
   * meanwhile.
   */
  async hold(handle: string, outlives: boolean): Promise<void> {
    if (handle === '' || Buffer.byteLength(handle) > HANDLE_LIMIT)
      throw new TaskFailure(`a handle has 1 to ${HANDLE_LIMIT} bytes`, { fatal: true });
    this.handle = handle;
    this.outlives = outlives;
    if (await this.keep(handle, outlives)) return;
    // Another worker may take it over: it must not be ended here.
    this.handle = undefined;
    throw new TaskFailure('the masters have given this attempt up');
  }

  /** Drops the handle: the application is over. */
  letGo(): void {
    if (this.handle === undefined) return;
    this.handle = undefined;
    void this.keep('', false);
  }
}

/** Ends what an attempt has started. Returns whether it is over. */
export async function endOf(attempt: Attempt, prepared: Prepared, handle: string): Promise<boolean> {
  const { plugin, context } = prepared;
  if (!plugin.end) return true;
  const { log, room } = attempt;
  const processes = new AttemptProcesses(attempt, FIRST_PROCESS);
  const signal = AbortSignal.timeout(LONGEST_END);
  const late = () => void processes.stop();
  signal.addEventListener('abort', late, { once: true });
  const ending: TaskContext<unknown> = Object.create(context, {
    signal: { value: signal },
    log: { value: (line: string) => log.write(Buffer.from(`${line}\n`)) },
    note: { value: (line: string) => log.mark(line) },
    exec: {
      value: (command: string, args: readonly string[] = [], options = {}) =>
        processes.exec(command, args, options),
    },
    sleep: { value: (milliseconds: number) => sleep(room.clock, milliseconds, signal) },
  });
  try {
    await plugin.end(ending, handle);
    return true;
  } catch (error) {
    log.mark(`what it has started could not be ended: ${(error as Error).message}; it is tried again`);
    return false;
  } finally {
    signal.removeEventListener('abort', late);
    await processes.stop();
  }
}
