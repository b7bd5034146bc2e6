import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { english, type Key } from './en.ts';
import { createFormatter } from './format.ts';
import { negotiate } from './languages.ts';
import { chinese } from './zh.ts';

type Element = ReturnType<IntlMessageFormat['getAst']>[number] & {
  value?: string;
  options?: Record<string, { value: Element[] }>;
};

/** Names of the values that a message is filled with. */
function argumentsOf(message: string): string[] {
  const found = new Set<string>();
  const walk = (elements: readonly Element[]) => {
    for (const element of elements) {
      if (element.type !== 0 && element.type !== 7 && element.value !== undefined) found.add(element.value);
      for (const option of Object.values(element.options ?? {})) walk(option.value);
    }
  };
  walk(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst() as Element[]);
  return [...found].sort();
}

const keys = Object.keys(english) as Key[];
const source = join(import.meta.dirname, '..');
const code = globSync('**/*.{ts,tsx}', { cwd: source })
  .filter((file) => !/\.test\.|text\.(en|zh)\.ts$/.test(file))
  .map((file) => readFileSync(join(source, file), 'utf8'))
  .join('\n');

describe('the messages', () => {
  it('are the same in both languages, with the same values', () => {
    expect(Object.keys(chinese).sort()).toEqual([...keys].sort());
    for (const key of keys)
      expect([key, argumentsOf(chinese[key])]).toEqual([key, argumentsOf(english[key])]);
  });

  it('have a key of their own, whatever folder they are in', () => {
    const all = globSync('**/text.en.ts', { cwd: source }).flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/^ {2}'?([\w.-]+)'?:/gm)].map(([, key]) => key),
    );
    expect(all.filter((key, at) => all.indexOf(key) !== at)).toEqual([]);
    expect(all).toHaveLength(keys.length);
  });

  it('are all used', () => {
    expect(keys.filter((key) => !code.includes(`'${key}'`))).toEqual([]);
  });

  it('are translated: a Chinese message that is the English one is a name, a key or a sign', () => {
    const same = keys.filter(
      (key) => english[key] === chinese[key] && /[a-z]{3}/.test(english[key].replace(/\{.*?\}/g, '')),
    );
    expect(same.filter((key) => !/^(Orrery|YAML|UTC|English)/.test(english[key]))).toEqual([]);
  });

  it('are filled with values', () => {
    const text = createFormatter({ a: '{n, plural, one {# run} other {# runs}} of {name}' }, 'en');
    expect(text('a', { n: 2, name: '<b>' })).toBe('2 runs of <b>');
    expect(text('missing')).toBe('missing');
  });

  it('grow and change in the pseudo-language, and still take their values', () => {
    for (const key of keys) {
      const values = Object.fromEntries(argumentsOf(english[key]).map((name) => [name, 3]));
      const plain = createFormatter(english, 'en')(key, values);
      const strange = createFormatter(english, 'x-pseudo')(key, values);
      expect([key, strange.length >= plain.length]).toEqual([key, true]);
    }
  });
});

it('the language is the first one asked for that there is', () => {
  expect(negotiate(['fr', 'zh-TW', 'en'])).toBe('zh-CN');
  expect(negotiate(['de-DE', 'en-GB'])).toBe('en');
  expect(negotiate([])).toBe('en');
});
