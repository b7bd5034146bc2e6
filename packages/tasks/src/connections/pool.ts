/**
 * Sessions of one worker with other systems, kept for a while after use.
 * A session is open and in use -> idle (given back) -> in use again, or closed after 30 s without use.
 */

const IDLE = 30_000;
const MOST_IDLE = 4;

/** What can be kept. */
export interface Pooled {
  /** Whether it can be used again: not when its other side is gone. */
  readonly usable: boolean;
  /** Makes it as new for the next task; false where that failed. */
  reset(): Promise<boolean>;
  close(): Promise<void>;
}

/** Keeps idle sessions by everything that makes them equal. */
export class Pool<Session extends Pooled> {
  private readonly idle = new Map<string, { readonly session: Session; readonly timer: NodeJS.Timeout }[]>();

  /** One that is idle, or a new one. */
  async acquire(key: string, open: () => Promise<Session>): Promise<Session> {
    for (;;) {
      const found = this.idle.get(key)?.pop();
      if (!found) return open();
      clearTimeout(found.timer);
      if (found.session.usable) return found.session;
    }
  }

  /** Returns a session after use; one that cannot be reused is closed. */
  async release(key: string, session: Session): Promise<void> {
    const kept = this.idle.get(key) ?? [];
    if (!session.usable || kept.length >= MOST_IDLE || !(await session.reset())) return session.close();
    const timer = setTimeout(() => this.expire(key, session), IDLE);
    timer.unref();
    kept.push({ session, timer });
    this.idle.set(key, kept);
  }

  private expire(key: string, session: Session): void {
    const kept = (this.idle.get(key) ?? []).filter((each) => each.session !== session);
    if (kept.length > 0) this.idle.set(key, kept);
    else this.idle.delete(key);
    session.close().catch(() => {});
  }
}
