import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const dist = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'dist');
const page = readFileSync(join(dist, 'index.html'), 'utf8');
const packed = (file: string) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1024;
const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + packed(file), 0);

/** A script and everything it imports before it runs. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const code = readFileSync(join(dist, file), 'utf8');
  for (const [, name] of code.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
    withImports(`assets/${name}`, found);
  return found;
}

const entry = /src="\.\/(assets\/index-[\w-]+\.js)"/.exec(page)?.[1] ?? '';
const first = withImports(entry);

/** The chunk of a folder of `pages/`, found by its map of sources. */
function chunkOf(folder: string): string {
  const found = globSync('assets/*.js.map', { cwd: dist }).find((map) =>
    JSON.parse(readFileSync(join(dist, map), 'utf8')).sources.some((source: string) =>
      source.endsWith(`/pages/${folder}/page.tsx`),
    ),
  );
  if (!found) throw new Error(`no chunk holds pages/${folder}/page.tsx`);
  return found.replace(/\.map$/, '');
}

const folders = globSync('*/page.tsx', { cwd: join(dist, '..', 'src', 'pages') }).map((file) =>
  dirname(file),
);

describe('the built console', () => {
  it('loads Home with at most 300 KB of script', () => {
    const files = withImports(chunkOf('home'), new Set(first));
    expect(sum(files)).toBeLessThanOrEqual(300);
    expect(sum(files)).toBeGreaterThan(100);
  });

  it('loads at most 40 KB of styles', () => {
    const styles = new Set([...page.matchAll(/href="\.\/(assets\/[\w.-]+\.css)"/g)].map(([, file]) => file));
    expect(sum(styles)).toBeLessThanOrEqual(40);
    expect(sum(styles)).toBeGreaterThan(5);
  });

  it('paints its frame with at most 4 KB, before any other style or script', () => {
    const [head, body] = page.split('<body>');
    const sheets = (part: string) => part.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
    expect(sheets(head)).toHaveLength(1);
    expect(sheets(body)).toHaveLength(1);
    expect(body.indexOf('class="frame"')).toBeLessThan(body.indexOf('rel="stylesheet"'));
    const firstFiles = [...page.matchAll(/"\.\/(assets\/first-[\w-]+\.(?:js|css))"/g)].map(
      ([, file]) => file,
    );
    expect(firstFiles).toHaveLength(2);
    expect(sum(firstFiles)).toBeLessThanOrEqual(4);
  });

  it('knows from the first the scripts of every page', () => {
    const script = readFileSync(join(dist, globSync('assets/first-*.js', { cwd: dist })[0]), 'utf8');
    expect(folders.length).toBeGreaterThan(4);
    const unknown = folders.filter((folder) => {
      const chunk = chunkOf(folder);
      return !first.has(chunk) && !script.includes(chunk);
    });
    // Who has to sign in has time.
    expect(unknown).toEqual(['login']);
  });

  it.each(folders)(
    'has at most 30 KB of its own for the page %s, and 80 KB with what others share',
    (folder) => {
      const chunk = chunkOf(folder);
      expect(first.has(chunk) ? 0 : packed(chunk)).toBeLessThanOrEqual(30);
      expect(sum(withImports(chunk).difference(first))).toBeLessThanOrEqual(80);
    },
  );

  it('lays graphs out with at most 480 KB, in a worker that is loaded for that alone', () => {
    const [worker] = globSync('assets/elk-worker*.js', { cwd: dist });
    expect(packed(worker)).toBeLessThanOrEqual(480);
    for (const folder of folders) expect([...withImports(chunkOf(folder))]).not.toContain(worker);
  });

  it('edits text with at most 200 KB, and reads it in a worker of at most 120 KB', () => {
    const [[text], [worker]] = ['text-view', 'worker'].map((name) =>
      globSync(`assets/${name}-*.js`, { cwd: dist }),
    );
    expect(sum(withImports(text).difference(first))).toBeLessThanOrEqual(200);
    expect(packed(worker)).toBeLessThanOrEqual(120);
    for (const folder of folders) expect([...withImports(chunkOf(folder))]).not.toContain(text);
  });

  it('brings neither graph nor schema nor editor to Home', () => {
    const code = [...withImports(chunkOf('home'), new Set(first))]
      .map((file) => readFileSync(join(dist, file), 'utf8'))
      .join('');
    for (const library of ['elkjs', 'ZodError', 'react-flow', 'codemirror'])
      expect([library, code.includes(library)]).toEqual([library, false]);
  });

  it('needs no inline script or style, so that the policy can forbid them', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=/);
  });

  it('has what is worth compressing compressed beside it', () => {
    const large = [...first].filter((file) => statSync(join(dist, file)).size >= 1_024);
    expect(large.filter((file) => !existsSync(join(dist, `${file}.br`)))).toEqual([]);
    expect(large.length).toBeGreaterThan(0);
  });
});
