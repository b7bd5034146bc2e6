/** Seeded folders, served with the console in this process: nothing in them moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SeedName, seed } from '@orrery/testkit/seed/seed';
import { serveSeed } from '@orrery/testkit/seed/serve';

const dist = join(import.meta.dirname, '..', '..', '..', 'packages', 'ui', 'dist');

/** A folder that is served. */
export interface Seeded {
  readonly url: string;
  stop(): Promise<void>;
}

/** Seeds a folder of its own and serves it; with a token people have to sign in, with a base path it is below that. */
export async function serve(
  name: SeedName,
  token?: string,
  basePath?: string,
  jobs?: NonNullable<Parameters<typeof serveSeed>[1]>['jobs'],
): Promise<Seeded> {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-seeded-'));
  await seed(name, folder, Date.now());
  const api = await serveSeed(folder, { console: dist, token, basePath, jobs });
  return {
    url: api.url,
    async stop() {
      await api.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
