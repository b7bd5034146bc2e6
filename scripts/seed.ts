/**
 * `npm run seed -- small --folder DIR`: fills a data folder, for work on the console. With `--serve` it is
 * then served without an engine; `orrery dev --data DIR` runs it with one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type SeedName, seed, seedNames } from '@orrery/testkit/seed/seed';
import { serveSeed } from '@orrery/testkit/seed/serve';

const usage = `usage: npm run seed -- ${seedNames.join('|')} --folder DIR [--serve] [--port NUMBER]`;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      folder: { type: 'string' },
      serve: { type: 'boolean' },
      port: { type: 'string', default: '7070' },
    },
  });
  const name = seedNames.find((each) => each === positionals[0]) satisfies SeedName | undefined;
  if (!name || values.folder === undefined || positionals.length > 1) {
    console.error(usage);
    return 2;
  }
  const begun = performance.now();
  await seed(name, values.folder, Date.now());
  console.log(
    `seeded ${values.folder} with "${name}" in ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
  if (!values.serve) {
    console.log(`run it with: npx orrery dev --data ${values.folder}`);
    return 0;
  }
  const built = join(import.meta.dirname, '..', 'packages', 'ui', 'dist');
  const { url } = await serveSeed(values.folder, {
    port: Number(values.port),
    console: existsSync(built) ? built : undefined,
  });
  console.log(`served as it is, without an engine, at ${url}`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error && ('tag' in error || 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
