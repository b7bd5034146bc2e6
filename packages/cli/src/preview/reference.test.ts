import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'preview.md'), 'utf8');

/** Every `$ command` of the page with the output printed below it. */
const examples = [...page.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block]) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const end = example.indexOf('\n');
      return { command: example.slice(0, end), output: example.slice(end + 1) };
    }),
);

function run(command: string): string {
  const script = `orrery() { "$NODE" packages/cli/bin/orrery.mjs "$@" 2>&1; }\n${command}`;
  const env = { ...process.env, NODE: process.execPath };
  return spawnSync('sh', ['-c', script], { cwd: root, env, encoding: 'utf8', timeout: 60_000 }).stdout;
}

describe('the reference page of preview', () => {
  it.each(examples)('prints what $command prints', ({ command, output }) => {
    expect(run(command)).toBe(output);
  });

  it('has examples of every command', () => {
    for (const name of ['cron', 'params', 'shards', 'plan', 'dependency']) {
      expect(examples.some(({ command }) => command.includes(`orrery preview ${name} `))).toBe(true);
    }
  });
});
