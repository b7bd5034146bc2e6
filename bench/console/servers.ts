/** Starts what the console's benchmark looks at, and the browser that looks. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HugeSizes } from '@orrery/testkit/seed/huge';
import { type Browser, chromium as driver } from 'playwright-core';
import { chromium } from '../../scripts/services/chromium.ts';

const root = join(import.meta.dirname, '..', '..');

/** A seeded folder that is served. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Seeds a folder and serves it with the console, which is built first if a source has changed. */
export async function serveHuge(sizes: HugeSizes): Promise<Served> {
  const built = spawnSync(process.execPath, [join(root, 'packages/ui/build.ts'), '--if-changed'], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`the console does not build:\n${built.stderr}`);
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

/** The system's Chromium, without a screen. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.ORRERY_CHROMIUM ?? chromium.find();
  if (!executablePath)
    throw new Error('there is no Chromium: npm run services -- install chromium, or set ORRERY_CHROMIUM');
  return driver.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
  });
}
