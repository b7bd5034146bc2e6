/** The servers that tests share, started before a run; those that did not run before are stopped after it. */
import { join } from 'node:path';
import { startService, stopService } from '../services/lifecycle.ts';
import { postgres, removeOutside } from '../services/postgres.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '.services');

/** Runs `work` beside PostgreSQL, which tests find by themselves. */
export async function withServices(work: () => Promise<void>): Promise<void> {
  const { reused } = await startService(postgres, FOLDER, true);
  try {
    await work();
  } finally {
    if (!reused) {
      await stopService(postgres, FOLDER);
      removeOutside(join(FOLDER, postgres.name));
    }
  }
}
