import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLogicType, parseWorkflowFile } from '@orrery/core/model';
import { taskPlugins } from '@orrery/tasks';
import { describe, expect, it } from 'vitest';
import { taskRegistry } from './worker.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1]);

describe('the documentation of tasks', () => {
  it('shows workflows that are right, with settings that their task types accept', async () => {
    const plugins = [join(root, 'examples/plugins/count-lines')];
    const bundled = taskPlugins({ codeFolder: root, cacheFolder: root });
    const registry = await taskRegistry({ plugins, bundled, codeFolder: root, dev: true });
    const files = globSync('docs/tasks/*.md', { cwd: root });
    const workflows = files
      .flatMap((file) => blocks(read(file), 'yaml'))
      .map((text) => parseWorkflowFile(text));
    expect(workflows.length).toBeGreaterThan(3);
    for (const { workflows: found, problems } of workflows) {
      expect(problems).toEqual([]);
      for (const { type, with: settings } of found[0].tasks) {
        // The workflow file has the schemas of tasks that masters run.
        if (isLogicType(type)) continue;
        const checked = registry.get(type)?.schema.safeParse(settings);
        expect(checked, `${type}: ${checked?.error}`).toMatchObject({ success: true });
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
