/** The sessions of a worker with database servers: opened for attempts, kept while idle, cancelled with their attempt. */
import { createHash } from 'node:crypto';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { Pool } from '../connections/pool.ts';
import { serverKind } from './servers.ts';
import type { SqlSession } from './session.ts';

/** A connection to one of them. */
interface Server {
  readonly name: string;
  readonly kind: string;
  readonly settings: Record<string, unknown>;
}

/** Lends sessions to attempts. */
export class Sessions {
  private readonly pool = new Pool<SqlSession>();
  private readonly codeFolder: string;

  constructor(codeFolder: string) {
    this.codeFolder = codeFolder;
  }

  /** Works with a session. When the attempt is to end, its statement is cancelled on the server before this settles. */
  async use<Result>(
    { signal, hostPath }: Pick<TaskContext<unknown>, 'signal' | 'hostPath'>,
    server: Server,
    work: (session: SqlSession) => Promise<Result>,
  ): Promise<Result> {
    const { host } = server.settings;
    // A socket of the machine tells its server that the worker's user is at the other end.
    if (typeof host === 'string' && host.startsWith('/')) hostPath(host);
    const key = createHash('sha256').update(JSON.stringify(server)).digest('hex');
    const session = await this.pool.acquire(key, () => this.open(server));
    let cancelled: Promise<void> | undefined;
    const cancel = (): void => {
      cancelled = session.cancel();
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      signal.throwIfAborted();
      const result = await work(session);
      signal.throwIfAborted();
      return result;
    } finally {
      signal.removeEventListener('abort', cancel);
      await cancelled;
      await this.pool.release(key, session);
    }
  }

  private async open({ name, kind, settings }: Server): Promise<SqlSession> {
    try {
      return await serverKind(kind).open(settings, this.codeFolder);
    } catch (error) {
      if (error instanceof TaskFailure) throw error;
      const { host, port, url = `${host}:${port}` } = settings;
      throw new TaskFailure(`cannot connect to "${name}" (${kind} at ${url}): ${reason(error)}`);
    }
  }
}

/** Several addresses of a host fail together. */
function reason(error: unknown): string {
  const { message, errors, code } = error as Error & { errors?: Error[]; code?: string };
  const text = message || errors?.map((each) => each.message).join('; ') || code || String(error);
  return text.replace(/\s*\n\s*/g, '; ');
}
