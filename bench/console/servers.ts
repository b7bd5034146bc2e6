/** Starts what the console's benchmark looks at. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CrowdSizes } from '@orrery/testkit/seed/crowd';
import type { HugeSizes } from '@orrery/testkit/seed/huge';
import { buildConsole } from '../../scripts/build-console.ts';

/** What is served: more runs and lines than fit, a grid of tasks and runs, or very much of what people set up. */
export type World =
  | ({ readonly kind: 'huge' } & HugeSizes)
  | { readonly kind: 'grid'; readonly tasks: number; readonly runs: number }
  | ({ readonly kind: 'crowd' } & CrowdSizes);

/** A seeded folder that is served. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  /** The backfill of many business times, in a crowd. */
  readonly backfill?: number;
}

/** Seeds a folder and serves it with the console, which is built first if a source has changed. */
export async function serveWorld(world: World): Promise<Served> {
  buildConsole();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), JSON.stringify(world)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the server of the benchmark ended with ${code}`);
    }),
  ]);
  const { folder, ...places } = JSON.parse(line) as { url: string; folder: string; backfill?: number };
  return {
    ...places,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
