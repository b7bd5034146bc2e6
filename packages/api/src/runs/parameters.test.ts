import { expect, it } from 'vitest';
import { checkParameters } from './parameters.ts';

const text = { type: 'string', required: false, output: false } as const;
const check = (declared: Partial<Parameters<typeof checkParameters>[0][string]>, value: string) => (): void =>
  checkParameters({ p: { ...text, ...declared } }, { p: value });

it('a value must fit type, options and pattern, and cannot refer around them', () => {
  expect(check({ type: 'integer' }, '${other}')).toThrow('cannot be checked here');
  expect(check({ options: ['eu', 'us'] }, '${other}')).toThrow('cannot be checked here');
  expect(check({ type: 'integer' }, '$[yyyyMMdd]')).not.toThrow();
  expect(check({ pattern: '[a-z]+' }, 'abc')).not.toThrow();
  expect(check({ pattern: 'a|b' }, 'abc')).toThrow('does not match the pattern a|b');
  expect(check({}, '${other} is any text')).not.toThrow();
});

it('a pattern that takes forever is cut off', () => {
  expect(check({ pattern: '(a+)+' }, `${'a'.repeat(64)}!`)).toThrow('takes longer than');
});
