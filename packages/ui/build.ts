/**
 * `npm run build -w packages/ui`: the console into `dist`. The folder is put in place whole, so a server never
 * serves half of one. `--if-changed` builds only if a source has changed since.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');
const stampFile = 'sources.txt';

/** Everything that a build is made from. */
const sources = [
  ...[
    'index.html',
    'package.json',
    'vite.config.ts',
    'build.ts',
    'compress.ts',
    'first-paint.ts',
    'public/**',
    'src/**',
  ],
  ...['../sdk/src/**/*.ts', '../core/src/**/*.ts', '../../package-lock.json'],
];

function stampOf(): string {
  const hash = createHash('sha256');
  const files = globSync(sources, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Replaces the previous build. A reader of that build retries. */
function putInPlace(made: string): void {
  const old = `${made}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

const stamp = stampOf();
const known = existsSync(join(dist, stampFile)) && readFileSync(join(dist, stampFile), 'utf8') === stamp;
if (!known || !process.argv.includes('--if-changed')) {
  const made = join(folder, 'node_modules', '.build', `${process.pid}`);
  mkdirSync(made, { recursive: true });
  // A test may start this: the build must still be the one that is shipped.
  process.env.NODE_ENV = 'production';
  await build({
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: made, emptyOutDir: true },
  });
  writeFileSync(join(made, stampFile), stamp);
  putInPlace(made);
}
