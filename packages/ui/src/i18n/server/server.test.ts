import { readMessage } from '@orrery/sdk/client';
import { IntlMessageFormat } from 'intl-messageformat';
import { expect, it } from 'vitest';
import { english } from '../../../../core/src/texts/english.ts';
import { countingOf } from '../format.ts';
import { serverTexts } from './zh.ts';

const codes = Object.keys(english) as (keyof typeof english)[];

/** Names of the values that a message is filled with. */
function namesIn(message: string): string[] {
  const found = new Set<string>();
  const walk = (elements: readonly ReturnType<IntlMessageFormat['getAst']>[number][]) => {
    for (const element of elements) {
      if (element.type !== 0 && element.type !== 7 && 'value' in element) found.add(String(element.value));
      if ('options' in element) for (const { value } of Object.values(element.options)) walk(value);
    }
  };
  walk(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return [...found].sort();
}

it('what the server says has the same texts in both languages, with the same fields', () => {
  expect(Object.keys(serverTexts).sort()).toEqual([...codes].sort());
  for (const code of codes)
    expect([code, namesIn(serverTexts[code])]).toEqual([code, namesIn(english[code])]);
});

it('its Chinese can be read, is Chinese, and has the marks of Chinese', () => {
  for (const code of codes) {
    const text = serverTexts[code];
    expect(() => readMessage(text, countingOf('zh-CN'))).not.toThrow();
    expect([code, /\p{Script=Han}/u.test(text) || /^[\W{}\w]{0,16}$/.test(text)]).toEqual([code, true]);
    expect([code, /\p{Script=Han}[,;:!?]/u.exec(text)]).toEqual([code, null]);
  }
});
