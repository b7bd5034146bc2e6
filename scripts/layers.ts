/**
 * The layer check: a package imports only what the table below allows it, and the deterministic
 * packages touch no clock, timer or randomness of their own.
 */
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, sep } from 'node:path';

interface Layer {
  /** Packages of this repository it may import, or one part of a package: `elastic/board`. */
  packages: readonly string[];
  /** Pure: no Node built-in, and from npm only the packages named here. */
  pure?: readonly string[];
  /** Takes time, timers, randomness and ids only from its caller. */
  deterministic?: boolean;
}

const everything = [
  'core',
  'contract',
  'import',
  'store',
  'alerts',
  'registry',
  'wire',
  'cluster',
  'master',
  'worker',
  'tasks',
  'elastic',
  'api',
  'sdk',
  'ui',
  'testkit',
];

/** Who may import whom: the house as a table. `cli` and `testkit` compose the others. */
export const layers: Record<string, Layer> = {
  core: { packages: [], pure: ['zod', 'yaml'], deterministic: true },
  contract: { packages: ['core'], pure: ['zod'], deterministic: true },
  import: { packages: ['core'], pure: ['zod'], deterministic: true },
  store: { packages: ['core'] },
  alerts: { packages: ['core', 'store'] },
  registry: { packages: ['core'] },
  wire: { packages: ['core'] },
  cluster: { packages: ['core', 'store', 'registry'], deterministic: true },
  master: { packages: ['core', 'store', 'cluster', 'wire'], deterministic: true },
  worker: { packages: ['core', 'wire'] },
  tasks: { packages: ['core', 'worker/plugin', 'worker/http', 'elastic/board'] },
  elastic: { packages: ['core', 'registry', 'store'], deterministic: true },
  api: { packages: ['alerts', 'core', 'contract', 'store', 'registry', 'wire', 'elastic/board'] },
  sdk: { packages: ['core', 'contract', 'import'] },
  ui: { packages: ['sdk'] },
  cli: { packages: everything },
  testkit: { packages: everything },
};

const importPattern =
  /(?:^|[^.\w])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[^.\w])import\s*\(?\s*['"]([^'"]+)['"]/g;
const effectPattern =
  /\bDate\.now\(|\bnew Date\(\)|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(|\bperformance\.now\(|\bMath\.random\(|\brandomUUID\(|\bgetRandomValues\(/;
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Every breach under `root`, one line each, in file order; empty means the layers hold. */
export function checkLayers(root: string): string[] {
  const breaches: string[] = [];
  for (const path of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).sort()) {
    const file = path.split(sep).join('/');
    const name = file.split('/')[1];
    const layer = layers[name];
    if (!layer) {
      breaches.push(`${file}: package ${name} is not in the table of scripts/layers.ts`);
      continue;
    }
    if (file.includes('.test.')) continue;
    breaches.push(...checkFile(file, name, layer, readFileSync(join(root, path), 'utf8')));
  }
  return breaches;
}

function checkFile(file: string, name: string, layer: Layer, source: string): string[] {
  const breaches: string[] = [];
  const code = source.replace(comment, (text) => text.replace(/[^\n]/g, ' '));
  for (const match of code.matchAll(importPattern)) {
    const target = match[1] ?? match[2];
    const line = code.slice(0, match.index + 1).split('\n').length;
    // What only tests use stands in folders of that name, and may use what tests use.
    if (file.includes('/testing/') && /^@orrery\/(testkit|[\w-]+\/testing)\//.test(target)) continue;
    const reason = refuse(name, layer, target);
    if (reason) breaches.push(`${file}:${line}: ${name} may not import ${target}: ${reason}`);
  }
  if (layer.deterministic) {
    code.split('\n').forEach((text, index) => {
      const effect = effectPattern.exec(text);
      if (effect)
        breaches.push(
          `${file}:${index + 1}: ${name} takes time and chance from its caller, not ${effect[0]}…`,
        );
    });
  }
  return breaches;
}

function refuse(name: string, layer: Layer, target: string): string | undefined {
  if (target.startsWith('.')) return undefined;
  const [, path, own] = /^@orrery\/(([\w-]+).*)/.exec(target) ?? [];
  if (own)
    return own === name || [own, path].some((one) => layer.packages.includes(one))
      ? undefined
      : 'not in its layer';
  if (!layer.pure) return undefined;
  if (isBuiltin(target)) return 'no Node built-in';
  const dependency = target.startsWith('@') ? target.split('/', 2).join('/') : target.split('/')[0];
  return layer.pure.includes(dependency)
    ? undefined
    : 'pure packages name their dependencies in scripts/layers.ts';
}

if (import.meta.main) {
  const breaches = checkLayers(process.cwd());
  for (const breach of breaches) console.error(breach);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
