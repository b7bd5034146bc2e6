/**
 * A step of the build: what a browser needs for the first paint stands first and alone in the page, a small style sheet
 * and a small script. The other style sheets follow the frame, so that it is painted without them; scripts wait for them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';

const folder = import.meta.dirname;
const script = 'src/first/first.ts';
const styles = ['src/theme/variables.css', 'src/theme/base.css', 'src/first/frame.css'];

/** The scripts of one page, which it loads when it is first opened. */
interface PageFiles {
  /** A regular expression. */
  readonly path: string;
  readonly files: readonly string[];
}

/** Puts them into `index.html`. */
export function firstPaint(): Plugin {
  return {
    name: 'first-paint',
    enforce: 'post',
    config: (_, { command }) => (command === 'serve' ? { define: { PAGES: '[]', CHINESE: '[]' } } : {}),
    transformIndexHtml(_, { server }) {
      if (!server) return;
      return [
        ...styles.map((href) => ({ tag: 'link', attrs: { rel: 'stylesheet', href: `/${href}` } })),
        { tag: 'script', attrs: { type: 'module', src: `/${script}` } },
      ];
    },
    async generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') return;
      const emit = (name: string, source: string) =>
        this.getFileName(this.emitFile({ type: 'asset', name, source }));
      const sheet = emit('first.css', firstStyles());
      const first = emit(
        'first.js',
        await firstScript(pageFiles(bundle), ownFiles(bundle, 'src/i18n/zh.ts')),
      );
      page.source = withFirst(String(page.source), sheet, first);
    },
  };
}

/** The addresses and files of all pages, by the table of routes. */
function pageFiles(bundle: Rolldown.OutputBundle): readonly PageFiles[] {
  const routes = readFileSync(join(folder, 'src/app/routes.tsx'), 'utf8');
  const entries = routes.matchAll(
    /path: '([^']+)',\s*load: \(\) => import\('\.\.\/(pages\/[\w-]+\/page\.tsx)'\)/g,
  );
  return Array.from(entries, ([, path, source]) => ({
    path: `^${path.replace(/\$\w+/g, '[^/]+')}/?$`,
    files: ownFiles(bundle, `src/${source}`),
  }));
}

/** The scripts of a source that is loaded later, without those that come first anyway. */
function ownFiles(bundle: Rolldown.OutputBundle, source: string): readonly string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === join(folder, source));
  if (!entry || !chunk) throw new Error(`there is no chunk of ${source}`);
  return [...withImports(bundle, chunk).difference(withImports(bundle, entry))];
}

function withImports(
  bundle: Rolldown.OutputBundle,
  { fileName, imports }: Rolldown.OutputChunk,
  found = new Set<string>(),
): Set<string> {
  found.add(fileName);
  for (const name of imports) {
    const chunk = bundle[name];
    if (chunk?.type === 'chunk' && !found.has(name)) withImports(bundle, chunk, found);
  }
  return found;
}

/** The first script with the names of files in it, as one that is no module and runs at once. */
async function firstScript(pages: readonly PageFiles[], chinese: readonly string[]): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { PAGES: JSON.stringify(pages), CHINESE: JSON.stringify(chinese) },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: join(folder, script), output: { format: 'iife' } },
    },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return output[0].code;
}

/** Comments and the spaces around signs are for those who write it. */
function firstStyles(): string {
  const text = styles.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return text
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1');
}

function withFirst(page: string, sheet: string, first: string): string {
  const others = page.match(/ *<link rel="stylesheet"[^>]*>\n?/g) ?? [];
  const head = `<link rel="stylesheet" href="./${sheet}">\n    <script src="./${first}"></script>`;
  return others
    .reduce((text, link) => text.replace(link, ''), page)
    .replace('<title>', `${head}\n    <title>`)
    .replace('  </body>', `${others.join('')}  </body>`);
}
