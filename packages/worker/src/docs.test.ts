import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseWorkflowFile } from '@orrery/core/model';
import { describe, expect, it } from 'vitest';
import { taskRegistry } from './worker.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1]);

describe('the documentation of tasks', () => {
  it('shows workflows that are right, with settings that their task types accept', async () => {
    const plugins = [join(root, 'examples/plugins/count-lines')];
    const registry = await taskRegistry({ plugins, codeFolder: root, dev: true });
    const files = globSync('docs/tasks/*.md', { cwd: root });
    const workflows = files
      .flatMap((file) => blocks(read(file), 'yaml'))
      .map((text) => parseWorkflowFile(text));
    expect(workflows.length).toBeGreaterThan(3);
    for (const { workflows: found, problems } of workflows) {
      expect(problems).toEqual([]);
      for (const { type, with: settings } of found[0].tasks) {
        expect(registry.get(type)?.schema.safeParse(settings)).toMatchObject({ success: true });
      }
    }
  });

  it('shows the example plugin as it is', () => {
    expect(blocks(read('docs/tasks/plugins.md'), 'ts')).toEqual([
      read('examples/plugins/count-lines/index.ts'),
    ]);
  });

  it('links to files that exist', () => {
    for (const file of globSync('docs/tasks/*.md', { cwd: root })) {
      for (const [, link] of read(file).matchAll(/\]\((?!https:|#)([^)#]+)/g)) {
        expect(globSync(join(root, 'docs/tasks', link)), `${file}: ${link}`).toHaveLength(1);
      }
    }
  });
});
