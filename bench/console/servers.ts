/** Starts what the console's benchmark looks at. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HugeSizes } from '@orrery/testkit/seed/huge';
import { buildConsole } from '../../scripts/build-console.ts';

/** A seeded folder that is served. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Seeds a folder and serves it with the console, which is built first if a source has changed. */
export async function serveHuge(sizes: HugeSizes): Promise<Served> {
  buildConsole();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), JSON.stringify(sizes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the server of the benchmark ended with ${code}`);
    }),
  ]);
  const { url, folder } = JSON.parse(line) as { url: string; folder: string };
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
