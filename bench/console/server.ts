/** The server of the console's benchmark, in its own process: serves a folder seeded with more than fits. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedHuge } from '@orrery/testkit/seed/huge';
import { serveSeed } from '@orrery/testkit/seed/serve';

const sizes = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-console-'));
await seedHuge(folder, Date.now(), sizes);
const built = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');
const { url } = await serveSeed(folder, { console: built });
console.log(JSON.stringify({ url, folder }));
