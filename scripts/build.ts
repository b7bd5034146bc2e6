/**
 * `npm run build`: the published package `orrery-scheduler`, in `dist/orrery-scheduler`. Node runs no
 * TypeScript from node_modules, so the package contains JavaScript, and the types that users import. The tree
 * mirrors `packages/`, so that code finds its neighbouring files there too; imports between packages become
 * relative. Modules that are neither run nor imported by name are bundled (`bundle.ts`).
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { bundle, carried } from './bundle.ts';
import { noticesOf, noticesOfConsole, noticesText } from './notices.ts';

const root = resolve(import.meta.dirname, '..');
const packages = join(root, 'packages');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Builds into a folder, which is emptied before. */
export async function build(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const cli = manifestOf('cli');
  const entries = Object.values(cli.exports ?? {}).map((file) => join('cli', file));
  const main = join('cli', 'src', 'main.ts');
  const modules = reach([...entries, main]);
  emit(target, modules, {});
  emit(target, reach(entries), { declaration: true, emitDeclarationOnly: true, stripInternal: true });
  const imported = new Set<string>();
  for (const file of globSync('**/*.{js,d.ts}', { cwd: target })) rewrite(target, file, imported);
  cpSync(join(packages, 'cli', 'bin'), join(target, 'cli', 'bin'), { recursive: true });
  rewrite(target, join('cli', 'bin', 'orrery.mjs'), imported);
  writeVersion(target, cli);
  const named = new Set([...entries, main, ...modules.flatMap(startedBy)]);
  await bundle(
    target,
    [...named].map((file) => file.replace(/\.ts$/, '.js')),
  );
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(target, name));
  writeFileSync(
    join(target, 'THIRD-PARTY-NOTICES'),
    noticesText([...noticesOfConsole(), ...noticesOf(carried)]),
  );
  cpSync(join(packages, 'wire', 'proto'), join(target, 'wire', 'proto'), { recursive: true });
  cpSync(join(packages, 'alerts', 'mib'), join(target, 'alerts', 'mib'), { recursive: true });
  const console = join(packages, 'ui', 'dist');
  if (existsSync(console))
    cpSync(console, join(target, 'ui', 'dist'), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  writeManifests(target, cli, imported);
}

/** What comes before the name of a module, and the name. Texts that speak of imports are not at the start of a line. */
const specifiers =
  /(^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*|^\s*import\s*|\bimport\(\s*)(['"])([^'"\s]+)\2/gm;
/** Files that are started as processes or threads of their own are named so. */
const started = /new URL\([`'"](\.\/[\w-]+)(?:\.ts['"]|\$\{extname)/g;

/** Files and all they import or start, below `packages`. */
function reach(entries: readonly string[]): string[] {
  const found = new Set(entries.map((entry) => join(entry)));
  for (const file of found) {
    if (!file.endsWith('.ts')) continue;
    const code = readFileSync(join(packages, file), 'utf8');
    for (const [, , , specifier] of code.matchAll(specifiers)) {
      const own = ownPackage.exec(specifier);
      if (own) found.add(join(own[1], sourceOf(own[1], own[2])));
      else if (/^\..*\.ts$/.test(specifier)) found.add(join(dirname(file), specifier));
    }
    for (const path of startedBy(file)) found.add(path);
  }
  return [...found];
}

/** The modules that one starts as processes or threads. */
function startedBy(file: string): string[] {
  const code = file.endsWith('.ts') ? readFileSync(join(packages, file), 'utf8') : '';
  return [...code.matchAll(started)].map(([, path]) => join(dirname(file), `${path}.ts`));
}

const ownPackage = /^@orrery\/([\w-]+)(\/.*)?$/;

/** Compiles files. Their types are checked elsewhere (`npm run check`), once. */
function emit(target: string, files: readonly string[], options: object): void {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-build-'));
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      ...options,
      noEmit: false,
      noCheck: true,
      rootDir: packages,
      outDir: target,
      rewriteRelativeImportExtensions: true,
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: [],
    files: files.map((file) => join(packages, file)),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(`the packages do not compile:\n${stdout}`);
}

/** Points imports to the files that are there; collects what has to be installed. */
function rewrite(target: string, file: string, imported: Set<string>): void {
  const path = join(target, file);
  const code = readFileSync(path, 'utf8').replace(specifiers, (whole, before, quote, specifier) => {
    const own = ownPackage.exec(specifier);
    if (own) {
      const way = relative(dirname(path), join(target, own[1], sourceOf(own[1], own[2])));
      return `${before}${quote}${asModule(way)}${quote}`;
    }
    if (specifier.startsWith('.')) return `${before}${quote}${specifier.replace(/\.ts$/, '.js')}${quote}`;
    if (!isBuiltin(specifier))
      imported.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
    return whole;
  });
  writeFileSync(path, code);
}

function asModule(way: string): string {
  const path = way.split(sep).join('/').replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** The file that a package exports under a path, as its manifest says. */
function sourceOf(name: string, path = ''): string {
  const exports = manifestOf(name).exports ?? {};
  const exact = exports[`.${path}`];
  if (exact !== undefined) return exact;
  // As Node does: of the patterns that fit, the one with the longest beginning.
  const patterns = Object.keys(exports).filter(
    (key) => key.endsWith('*') && `.${path}`.startsWith(key.slice(0, -1)),
  );
  const [pattern] = patterns.sort((a, b) => b.length - a.length);
  if (pattern === undefined) throw new Error(`@orrery/${name} exports no .${path}`);
  return exports[pattern].replace('*', `.${path}`.slice(pattern.length - 1));
}

/** The manifest of the package. */
function writeManifests(target: string, cli: Manifest, imported: ReadonlySet<string>): void {
  const entry = (file: string, ending: string) =>
    `./${join('cli', file).split(sep).join('/').replace(/\.ts$/, ending)}`;
  const exports = Object.entries(cli.exports ?? {}).map(([name, file]) => [
    name,
    { types: entry(file, '.d.ts'), default: entry(file, '.js') },
  ]);
  const { name, version, license } = cli;
  const manifest = {
    name,
    version,
    description: manifestOf('..').description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { orrery: './cli/bin/orrery.mjs' },
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    sideEffects: false,
    dependencies: dependenciesOf(imported),
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The version, where the command looks for it. */
function writeVersion(target: string, { version }: Manifest): void {
  writeFileSync(join(target, 'cli', 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
}

/** The versions that the packages ask for; something imported that none of them names is a defect. */
function dependenciesOf(imported: ReadonlySet<string>): Record<string, string> {
  const asked = new Map<string, string>();
  for (const file of globSync('*/package.json', { cwd: packages })) {
    const { dependencies = {} } = manifestOf(dirname(file));
    for (const [name, version] of Object.entries(dependencies)) asked.set(name, version);
  }
  const versions = [...imported].sort().map((name) => {
    const version = asked.get(name);
    if (version === undefined) throw new Error(`${name} is imported, and no package depends on it`);
    return [name, version];
  });
  return Object.fromEntries(versions);
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
}

if (import.meta.main) {
  const target = join(root, 'dist', 'orrery-scheduler');
  await build(target);
  console.log(
    `built ${relative(process.cwd(), target)}; pack it with: npm pack ./${relative(process.cwd(), target)}`,
  );
}
