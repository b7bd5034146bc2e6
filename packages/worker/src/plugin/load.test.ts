import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { definePlugin } from './contract.ts';
import { loadPlugins } from './load.ts';
import { createRegistry, taskTypes } from './registry.ts';

const root = temporaryFolder();
const body = (name: string) =>
  `{ name: '${name}', title: 'T', description: 'D', schema: { safeParse: (data) => ({ success: true, data }) }, run() {} }`;

function folder(path: string, files: Record<string, string>): void {
  mkdirSync(join(root, path), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, path, file), text);
}

const load = (...sources: string[]) => loadPlugins(sources, root);
const names = async (...sources: string[]) => (await load(...sources)).map(({ plugin }) => plugin.name);

describe('plugins', () => {
  it('are found by folder, by file and by package name', async () => {
    folder('plain', { 'index.mjs': `export const plugin = ${body('plain')};` });
    folder('several', {
      'package.json': '{"main":"all.mjs"}',
      'all.mjs': `export const plugins = [${body('one')}, ${body('two')}];`,
    });
    folder('node_modules/@acme/task', {
      'package.json':
        '{"name":"@acme/task","type":"module","exports":{".":{"import":"./in.js","default":"./no.js"}}}',
      'in.js': `export const plugin = ${body('acme')};`,
    });
    expect(await names('./plain', './several', './plain/index.mjs', '@acme/task')).toEqual([
      'plain',
      'one',
      'two',
      'plain',
      'acme',
    ]);
  });

  it.each([
    ['missing', {}, /plugin missing: not found from/],
    ['./empty', { 'readme.md': '' }, /has neither a package.json .* nor index.ts, index.mjs, index.js/],
    [
      './broken',
      { 'index.mjs': 'throw new Error("no key")' },
      /plugin .\/broken: cannot load .*: Error: no key$/,
    ],
    ['./other', { 'index.mjs': 'export const x = 1' }, /exports neither "plugin" nor a list "plugins"/],
    ['./nameless', { 'index.mjs': 'export const plugin = { name: "a/b" }' }, /plugin 1 has no "name"/],
    [
      './schemaless',
      { 'index.mjs': `export const plugin = { ...${body('x')}, schema: 5 }` },
      /has no Zod schema/,
    ],
  ])('that cannot be used are refused with the reason: %s', async (source, files, message) => {
    if (source.startsWith('.')) folder(source, files as Record<string, string>);
    await expect(load(source)).rejects.toThrow(message);
  });

  it('of one name twice, or of a name that masters use, are refused', () => {
    const plugin = definePlugin({ name: 'x', title: '', description: '', schema: z.object({}), run() {} });
    const from = (source: string, name = 'x') => ({ plugin: { ...plugin, name }, from: source });
    expect(() => createRegistry([from('a'), from('b')])).toThrow('task type "x" comes from a and from b');
    expect(() => createRegistry([from('a', 'switch')])).toThrow('is one that masters run themselves');
    expect(taskTypes(createRegistry([from('a')]))).toMatchObject([{ name: 'x', schema: { type: 'object' } }]);
  });
});
