/**
 * The check of callers: every operation of the store, and every value that a folder of `core` exports, is used by the
 * product. What only tests use is dead weight that no other check finds, because an index file exports it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What has no caller in the product, and why it stays. A name that gets one is taken off the list. */
const awaited: readonly (readonly [reason: string, ...names: string[]])[] = [
  ['tests and simulations run in its time', 'VirtualClock'],
  ['a rule that recorded cases of DolphinScheduler ask for', 'cronLevel'],
  [
    'one at a time what the product does in batches, for tests and benches that set up a store',
    ...['publishWorkflow', 'sendControls', 'setLimit'],
  ],
  [
    'shows what is stored, for tests and simulations',
    ...['readRun', 'listCommands', 'listLimits', 'readLimitWaits'],
  ],
];

const awaitedNames = awaited.flatMap(([, ...names]) => names);

/** Every name without a caller under `root`, one line each; and every awaited name that has one or is gone. */
export function checkCallers(root: string, kept: readonly string[] = awaitedNames): string[] {
  const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((file) => !isTestOnly(file) && file !== catalogue)
    .map((file) => ({ file, code: withoutComments(readFileSync(join(root, file), 'utf8')) }));
  const declared = [...operationsOf(root), ...exportsOf(root)];
  const dead = declared.filter(({ name, home, isCall }) => {
    if (isCall) {
      const call = new RegExp(`\\.${name}\\b|['"\`]${name}['"\`]`);
      return !sources.some(({ file, code }) => !file.startsWith(home) && call.test(code));
    }
    // One time is where it is declared; an index only hands it on.
    const uses = sources.filter(({ file }) => !file.endsWith('/index.ts')).map(({ code }) => code);
    const word = new RegExp(`\\b${name}\\b`, 'g');
    return uses.reduce((sum, code) => sum + (code.match(word)?.length ?? 0), 0) < 2;
  });
  const names = new Set(dead.map(({ name }) => name));
  return [
    ...dead
      .filter(({ name }) => !kept.includes(name))
      .map(({ name, where }) => `${where}: nothing calls ${name}`),
    ...kept
      .filter((name) => !names.has(name))
      .map((name) => `scripts/callers.ts: ${name} is listed as without a caller, and has one or is gone`),
  ];
}

interface Declared {
  readonly name: string;
  /** Its place, for messages. */
  readonly where: string;
  /** Files that begin so are its own room, where a use is none. */
  readonly home: string;
  /** Used as `store.name(…)`, not as an imported name. */
  readonly isCall: boolean;
}

const catalogue = 'packages/store/src/catalogue.ts';

/** The operations of the store. */
function operationsOf(root: string): Declared[] {
  const code = withoutComments(readFileSync(join(root, catalogue), 'utf8'));
  const lists = [...code.matchAll(/export const (?:writing|reading) = \{([\s\S]*?)\n\}/g)];
  return lists
    .flatMap(([, body]) => [...body.matchAll(/^ {2}(\w+)(?:,|:)/gm)])
    .map(([, name]) => ({ name, where: catalogue, home: 'packages/store/src/operations/', isCall: true }));
}

/** The values that the folders of `core` export; types need no caller. */
function exportsOf(root: string): Declared[] {
  return globSync('packages/core/src/*/index.ts', { cwd: root }).flatMap((path) => {
    const where = path.split(sep).join('/');
    const code = withoutComments(readFileSync(join(root, path), 'utf8'));
    return [...code.matchAll(/export \{([^}]*)\}/g)]
      .flatMap(([, names]) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => /^\w+$/.test(name))
      .map((name) => ({ name, where, home: where.replace(/index\.ts$/, ''), isCall: false }));
  });
}

/** Tests, and what only tests import. */
function isTestOnly(file: string): boolean {
  return /\.(test|fixture)\.tsx?$|\/testing(\/|\.ts$)|^packages\/testkit\/|-child\.ts$|race-stage\.ts$/.test(
    file,
  );
}

function withoutComments(source: string): string {
  return source.replace(/(?<=^|\s)\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

if (import.meta.main) {
  const found = checkCallers(process.cwd());
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
