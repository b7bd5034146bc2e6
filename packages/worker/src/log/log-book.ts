/** The logs of a worker: those being written, and how all of them are read while and after they are. */
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
  /** Logs whose last line was written then or before may have been removed since there were too many; 0: none. */
  readonly removedUntil: number;
}

/** What is told with a piece of a log. */
interface LogFacts {
  /** The group of the processes that the attempt runs now. */
  readonly process?: number;
  /** Only where there is no such log: what is kept. */
  readonly kept?: KeptLogs;
}

/** Opens logs and lets them be read. */
export class LogBook {
  readonly folder: string;
  /** How often the database was restored: new logs do not overwrite those from before. */
  restores = 0;
  private readonly kept: Pick<KeptLogs, 'age' | 'most'> | undefined;
  private readonly live = new Map<string, LogWriter>();

  /** `kept` says which logs are left of those in the folder, for those who ask for another. */
  constructor(folder: string, kept?: Pick<KeptLogs, 'age' | 'most'>) {
    this.folder = folder;
    this.kept = kept;
  }

  /** The log of an attempt that begins; it is live until it is closed. */
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

  /** A piece of an attempt's log, with what is known about it. */
  async read(workflow: string, attempt: AttemptId, range?: LogRange): Promise<LogPiece & LogFacts> {
    const path = this.pathOf(workflow, attempt);
    const writer = this.live.get(path);
    const piece = await readLog(path, range);
    const { kept, folder } = this;
    if (!piece.missing || writer || !kept) return { ...piece, process: writer?.process };
    return { ...piece, kept: { ...kept, removedUntil: await removedUntil(folder) } };
  }

  /** The log from `offset` on, piece by piece, to its end: while the attempt runs, as it grows. */
  async *follow(
    workflow: string,
    attempt: AttemptId,
    { offset = 0, limit, signal }: LogRange & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LogPiece> {
    const path = this.pathOf(workflow, attempt);
    for (;;) {
      // Asked for before reading: what is written meanwhile is not missed.
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

  /** The newest log of an attempt: an older one is of a time that a restore has undone, unless it is the only one. */
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
