import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layers } from './layers.ts';

const root = resolve(import.meta.dirname, '..');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...globSync('{docs,examples}/**/*.md', { cwd: root }),
  ...globSync('packages/*/README.md', { cwd: root }),
].sort();
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** The anchor that a heading gets, as GitHub and others make it. */
function anchorOf(heading: string): string {
  const plain = heading.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function anchorsOf(page: string): string[] {
  const text = textOf(page).replace(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));
}

describe('links', () => {
  it.each(pages)('of %s lead somewhere', (page) => {
    const broken = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file, anchor] = target.split('#');
        const path = file === '' ? page : join(dirname(page), file);
        if (!existsSync(join(root, path))) return true;
        const known = anchor === undefined || !path.endsWith('.md') || anchorsOf(path).includes(anchor);
        return !known;
      });
    expect(broken).toEqual([]);
  });
});

describe('packages', () => {
  const folders = readdirSync(join(root, 'packages')).filter((name) =>
    statSync(join(root, 'packages', name)).isDirectory(),
  );
  /** Names of packages in the first column of a table, with what stands in the last. */
  const rows = (text: string) =>
    [...text.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|(?:.*\|)? (.*) \|$/gm)].flatMap(([, names, last]) =>
      [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => ({ name, last })),
    );
  const section = (text: string, title: string) => text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const words = (text: string) => text.replace(/`/g, '').split(/[,;] */);

  it.each([
    ['docs/architecture.md', 'The house'],
    ['CONTRIBUTING.md', 'Layers'],
  ])('are all in the table of %s, with what they may import', (page, title) => {
    const table = rows(section(textOf(page), title));
    const everything = Object.keys(layers);
    expect(table.map(({ name }) => name).toSorted()).toEqual(everything.toSorted());
    for (const { name, last } of table) {
      const allowed = layers[name].packages;
      if (last === 'all') expect(allowed.length).toBeGreaterThan(everything.length - 3);
      else if (allowed.length > 0)
        expect([name, ...words(last).toSorted()]).toEqual([name, ...allowed.toSorted()]);
    }
  });

  it('have a folder, or are said to be still to come', () => {
    const today = rows(section(textOf('docs/architecture.md'), 'What exists today'));
    const coming = today.filter(({ last }) => last === 'still to come').map(({ name }) => name);
    const existing = today.filter(({ last }) => last !== 'still to come').map(({ name }) => name);
    expect(existing.toSorted()).toEqual(folders.toSorted());
    expect([...existing, ...coming].toSorted()).toEqual(Object.keys(layers).toSorted());
  });

  it('have a README', () => {
    expect(folders.filter((name) => !existsSync(join(root, 'packages', name, 'README.md')))).toEqual([]);
  });
});

describe('commands', () => {
  const source = globSync('packages/cli/src/**/*.ts', { cwd: root })
    .filter((file) => !file.includes('.test.'))
    .map(textOf)
    .join('\n');
  const commands = new Set([...source.matchAll(/\.command\(\s*'([\w-]+)/g)].map(([, name]) => name));

  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('that %s mentions exist', (page) => {
    const text = textOf(page);
    const typed = [
      ...text.matchAll(/^(?:\$ .*?|npx )\borrery ([a-z][a-z-]*)\b|`(?:npx )?orrery ([a-z][a-z-]*)\b/gm),
    ];
    // `orrery is ready …` is what a server prints.
    const mentioned = typed.map(([, inBlock, inline]) => inBlock ?? inline).filter((name) => name !== 'is');
    expect([...new Set(mentioned)].filter((name) => !commands.has(name))).toEqual([]);
  });

  it('of npm that CONTRIBUTING.md mentions exist', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const mentioned = [...textOf('CONTRIBUTING.md').matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name);
    expect([...new Set(mentioned)].filter((name) => !(name in scripts))).toEqual([]);
  });
});
