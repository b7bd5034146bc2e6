/** The table of shared facts in docs/architecture.md is true: each name is declared in its home, and nowhere else. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
const facts = [...page.matchAll(/^\| ([^|]+) \| `(packages\/[^`]+)` \| ([^|]+) \|$/gm)].map(
  ([, fact, home, names]) => ({
    fact,
    home,
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }),
);
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$|\/testing[/.]|\/generated\//.test(file))
  .map((file) => ({ file, code: readFileSync(join(root, file), 'utf8') }));

function homesOf(name: string): string[] {
  const declaration = new RegExp(`^export (?:const|function|type|interface|class) ${name}\\b`, 'm');
  return sources.filter(({ code }) => declaration.test(code)).map(({ file }) => file);
}

describe('the table of facts', () => {
  it('is there', () => {
    expect(facts.length).toBeGreaterThan(10);
  });

  it.each(facts)('$fact: $home', ({ home, names }) => {
    expect(names.map((name) => [name, homesOf(name)])).toEqual(names.map((name) => [name, [home]]));
  });
});
