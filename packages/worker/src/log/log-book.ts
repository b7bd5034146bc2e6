/** The logs of a worker: those being written, and how all of them are read while and after they are. */
import type { AttemptId } from '@orrery/wire/frames';
import { logPath } from './path.ts';
import { type LogPiece, type LogRange, readLog } from './reader.ts';
import { type LogOptions, LogWriter } from './writer.ts';

/** Opens logs and lets them be read. */
export class LogBook {
  readonly folder: string;
  private readonly live = new Map<string, LogWriter>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The log of an attempt that begins; it is live until it is closed. */
  write(workflow: string, attempt: AttemptId, options: Omit<LogOptions, 'path'>): LogWriter {
    const path = logPath(this.folder, workflow, attempt);
    const writer = new LogWriter({ ...options, path });
    this.live.set(path, writer);
    return writer;
  }

  /** Ends a log. */
  async close(writer: LogWriter, lastLine?: string): Promise<void> {
    await writer.close(lastLine);
    if (this.live.get(writer.path) === writer) this.live.delete(writer.path);
  }

  /** A piece of an attempt's log. */
  read(workflow: string, attempt: AttemptId, range?: LogRange): Promise<LogPiece> {
    return readLog(logPath(this.folder, workflow, attempt), range);
  }

  /** The log from `offset` on, piece by piece, to its end: while the attempt runs, as it grows. */
  async *follow(
    workflow: string,
    attempt: AttemptId,
    { offset = 0, limit, signal }: LogRange & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LogPiece> {
    const path = logPath(this.folder, workflow, attempt);
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
}

async function settledOrAborted(grown: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return grown;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  signal.addEventListener('abort', wake);
  grown.then(wake);
  await promise;
  signal.removeEventListener('abort', wake);
}
