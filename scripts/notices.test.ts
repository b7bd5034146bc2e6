import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noticesOfConsole, noticesText } from './notices.ts';

/** Licences that let the console be carried as it is; of EPL-2.0 the source must be named, which every notice does. */
const accepted =
  /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|Unlicense|EPL-2\.0)( OR [\w.-]+\)?)?$/;

const notices = noticesOfConsole();

it('names everything that the console is built of, with its licence, its text and its source', () => {
  const names = notices.map(({ name }) => name);
  const { dependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'packages', 'ui', 'package.json'), 'utf8'),
  ) as { dependencies: Record<string, string> };
  const direct = Object.keys(dependencies).filter((name) => !name.startsWith('@orrery/'));
  expect(names).toEqual(expect.arrayContaining(direct));
  expect(notices.filter(({ license }) => !accepted.test(license))).toEqual([]);
  expect(notices.filter(({ source }) => !source.startsWith('https://'))).toEqual([]);
});

it('says that elkjs is under the EPL-2.0 and where its source is', () => {
  const text = noticesText(notices);
  expect(text).toMatch(/elkjs [\d.]+\nLicence: EPL-2\.0.*\nSource: \S*github\.com\S*elkjs/);
  expect(text).toContain('Eclipse Public License');
  for (const { name, version } of notices) expect(text).toContain(`${name} ${version}`);
});
