/** Ends child processes of tests in every case: a test that times out never reaches its own `finally`. */
import type { ChildProcess } from 'node:child_process';
import { afterAll } from 'vitest';

const children = new Set<ChildProcess>();
// Registered on import, so it runs after the hooks of the test file itself.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Kills this child at the end of the test file, if it is still running then. */
export function killAfterTests<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Kills every process of the group that this child leads; the child was started `detached`. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
