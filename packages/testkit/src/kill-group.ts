/** Ends a shell or an npm script of a test together with all that it started. */
import type { ChildProcess } from 'node:child_process';

/** Kills every process of the group that this child leads; the child was started `detached`. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
