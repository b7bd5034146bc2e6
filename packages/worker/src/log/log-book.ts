/** The logs of a worker: writes those of live attempts, and reads all, including live ones. */
import { existsSync } from 'node:fs';
import type { AttemptId } from '@orrery/wire/frames';
import { logPath } from './path.ts';
import { type LogPiece, type LogRange, readLog } from './reader.ts';
import { removedUntil } from './retention.ts';
import { type LogOptions, LogWriter } from './writer.ts';

/** Which logs a worker keeps. */
interface KeptLogs {
  /** Milliseconds after the last line of a run. */
  readonly age: number;
  /** Of how many runs. */
  readonly most: number;
  /** Logs last written at or before this time may have been removed because there were too many; 0: none. */
  readonly removedUntil: number;
}

/** Facts returned with a piece of a log. */
interface LogFacts {
  /** The group of the processes that the attempt runs now. */
  readonly process?: number;
  /** The retention settings, if the log does not exist. */
  readonly kept?: KeptLogs;
}

/** Opens logs and lets them be read. */
export class LogBook {
  readonly folder: string;
  /** How often the database was restored: new logs do not overwrite those from before a restore. */
  restores = 0;
  private readonly kept: Pick<KeptLogs, 'age' | 'most'> | undefined;
  private readonly live = new Map<string, LogWriter>();

  /** `kept` describes which logs the folder retains, for readers of a missing log. */
  constructor(folder: string, kept?: Pick<KeptLogs, 'age' | 'most'>) {
    this.folder = folder;
    this.kept = kept;
  }

  /** Opens the log of a starting attempt; it is live until closed. */
  write(workflow: string, attempt: AttemptId, options: Omit<LogOptions, 'path'>): LogWriter {
    const path = logPath(this.folder, workflow, attempt, this.restores);
    const writer = new LogWriter({ ...options, path });
    this.live.set(path, writer);
    return writer;
  }

  /** Ends a log. */
  async close(writer: LogWriter, lastLine?: string): Promise<void> {
    await writer.close(lastLine);
    if (this.live.get(writer.path) === writer) this.live.delete(writer.path);
  }

  /** A piece of an attempt's log, with facts about it. */
  async read(workflow: string, attempt: AttemptId, range?: LogRange): Promise<LogPiece & LogFacts> {
    const path = this.pathOf(workflow, attempt);
    const writer = this.live.get(path);
    const piece = await readLog(path, range);
    const { kept, folder } = this;
    if (!piece.missing || writer || !kept) return { ...piece, process: writer?.process };
    return { ...piece, kept: { ...kept, removedUntil: await removedUntil(folder) } };
  }

  /** The log from `offset` to its end, in pieces; while the attempt runs, follows it as it grows. */
  async *follow(
    workflow: string,
    attempt: AttemptId,
    { offset = 0, limit, signal }: LogRange & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LogPiece> {
    const path = this.pathOf(workflow, attempt);
    for (;;) {
      // Requested before reading, so that concurrent writes are not missed.
      const writer = this.live.get(path);
      const grown = writer && !writer.closed ? writer.grown() : undefined;
      const piece = await readLog(path, { offset, limit });
      if (signal?.aborted) return;
      offset = piece.next;
      if (piece.bytes.length > 0) yield piece;
      else if (!grown) return;
      else await settledOrAborted(grown, signal);
    }
  }

  /**
   * The newest log of an attempt. An older one was written before a restore, and is used only if it is the
   * only one.
   */
  private pathOf(workflow: string, attempt: AttemptId): string {
    for (let restores = this.restores; restores > 0; restores--) {
      const path = logPath(this.folder, workflow, attempt, restores);
      if (this.live.has(path) || existsSync(path)) return path;
    }
    return logPath(this.folder, workflow, attempt);
  }
}

async function settledOrAborted(grown: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return grown;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  signal.addEventListener('abort', wake);
  void grown.then(wake);
  await promise;
  signal.removeEventListener('abort', wake);
}
