/**
 * Bundles the modules of a built tree: a file for each that is run or imported by name, and a few chunks that
 * these share. Each start of Node then finds, reads and links some hundred files less, and loads only the
 * used part of zod.
 */
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/** The npm packages inside the chunks; all others are installed beside the package. */
export const carried = ['zod'];

/** Where a module reads its own place: chunks move, but the files it looks for do not. */
const asked = /\bimport\.meta\.(url|dirname|filename)\b/g;
const mark = /__orreryPlace\("([^"]+)", "(url|dirname|filename)"\)/g;

/** They name the folder that it was built in. */
const regions = /^[\t ]*\/\/#(region|endregion).*\n/gm;

/** Bundles `entries` of a tree of JavaScript into the same tree; the modules that are not entries go. */
export async function bundle(folder: string, entries: readonly string[]): Promise<void> {
  // Modules are known by where they really are.
  const tree = realpathSync(folder);
  const modules = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  const pathOf = (id: string) => relative(tree, id).split(sep).join('/');
  const built = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.js$/, ''), join(tree, entry)])),
    platform: 'node',
    // The tree may be built anywhere.
    resolve: { modules: [join(import.meta.dirname, '..', 'node_modules')] },
    external: (id) =>
      !/^[./]/.test(id) && !carried.includes(id.split('/', id.startsWith('@') ? 2 : 1).join('/')),
    plugins: [
      {
        name: 'places',
        transform(code, id) {
          if (!id.startsWith(tree) || !code.includes('import.meta.')) return;
          return { code: code.replace(asked, (_, what) => `__orreryPlace("${pathOf(id)}", "${what}")`) };
        },
        renderChunk: (code, { fileName }) => ({
          code: code.replace(mark, (_, path, what) => place(fileName, path, what)).replace(regions, ''),
        }),
      },
    ],
  });
  const { output } = await built.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await built.close();
  for (const file of modules) rmSync(join(tree, file));
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`${file.fileName} is no module`);
    mkdirSync(join(tree, dirname(file.fileName)), { recursive: true });
    writeFileSync(join(tree, file.fileName), file.code);
  }
}

/** An expression for where a module was, from the chunk that it came into. */
function place(chunk: string, module: string, what: string): string {
  const way = posix.relative(posix.dirname(chunk), module);
  const url = `new URL(${JSON.stringify(way)}, import.meta.url)`;
  if (what === 'url') return `${url}.href`;
  const path = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
  return what === 'filename' ? path : `process.getBuiltinModule('node:path').dirname(${path})`;
}
