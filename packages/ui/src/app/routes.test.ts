import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as addresses from './addresses.ts';

const here = import.meta.dirname;
const read = (...path: string[]) => readFileSync(join(here, ...path), 'utf8');
const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, first]) => first);

/** Pages and the addresses that stand for one until it comes. A catch-all is neither. */
const routes = [
  ...found(read('routes.tsx') + read('router.tsx'), /\bpath: '(\/[^']*)'/g),
  ...found(read('stand-ins.ts'), /^ {2}'(\/[^']*)':/gm),
].filter((path) => !path.endsWith('/$'));
const isRoute = (address: string) =>
  routes.some((path) => new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}$`).test(address));

/** The paths that the sources of a folder write out, with `x` for each value put into them; a workflow is a project and a name. */
function written(folder: string, before: string): string[] {
  const pattern = new RegExp(`${before}['"\`]((?:/(?:[\\w-]+|\\$\\{[^{}]*\\}))+|/(?=['"\`?]))`, 'g');
  return globSync('**/*.{ts,tsx}', { cwd: join(here, folder) })
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => found(read(folder, file), pattern))
    .map((path) => path.replace('${workflow}', 'x/x').replace(/\$\{[^{}]*\}/g, 'x'));
}

it.each([
  ['links and actions of the console', written('..', String.raw`(?:\bgo\(|\bto=\{?|\bto: |\baddress: )`)],
  ['needs and changes on Home', written('../../../api/src/overview', '')],
  ['hits of the search', written('../../../api/src/search', '')],
  [
    'addresses built from parts',
    Object.entries(addresses)
      .filter(([name]) => name.endsWith('Address'))
      .map(([, address]) => (address as (...parts: string[]) => string)('1', 'x').split('?')[0]),
  ],
])('%s lead to pages that exist', (_, all) => {
  expect(all.length).toBeGreaterThan(3);
  expect(all.filter((address) => !isRoute(address))).toEqual([]);
});
