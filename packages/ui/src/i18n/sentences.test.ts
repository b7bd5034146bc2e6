import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chineseSentence } from './sentences.zh.ts';

const source = (...path: string[]) =>
  readFileSync(join(import.meta.dirname, '..', '..', '..', ...path), 'utf8');
const said = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, sentence]) => sentence);

it('every reason why a control is not allowed has words in Chinese', () => {
  const text = source('core', 'src', 'run', 'allowed.ts').replaceAll('`the run has ended${advice}`', "''");
  const advice = said(text, /ended\('([^']*)'\)/g).map((after) => `the run has ended${after}`);
  const reasons = [...said(text, /'(the run [^']+)'/g), ...advice];
  expect(reasons.length).toBeGreaterThan(20);
  expect(reasons.filter((reason) => chineseSentence(reason) === undefined)).toEqual([]);
});

it('every reason why a workflow allows no action has too', () => {
  const reasons = said(source('api', 'src', 'workflows', 'actions.ts'), /'((?:it|its|none) [^']+)'/g);
  expect(reasons.length).toBeGreaterThan(4);
  expect(reasons.filter((reason) => chineseSentence(reason) === undefined)).toEqual([]);
});

it('every title of a problem has too', () => {
  const titles = said(source('contract', 'src', 'problem.ts'), /\[\d{3}, '([^']+)'\]/g);
  expect(titles.length).toBeGreaterThan(12);
  expect(titles.filter((title) => chineseSentence(title) === undefined)).toEqual([]);
});

it('names in a sentence are taken over, and others are left to the server', () => {
  expect(chineseSentence('a rerun has been asked for already')).toBe('已经请求过重跑');
  expect(chineseSentence('this needs the role editor; an admin can give it to you')).toBe(
    '需要角色 editor;可由管理员授予',
  );
  expect(chineseSentence('the run is on the moon')).toBeUndefined();
  expect(chineseSentence('constructor')).toBeUndefined();
});
