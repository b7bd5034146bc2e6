import { readMessage, type Values } from '@orrery/sdk/client';
import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { english } from './en.ts';
import { countingOf } from './format.ts';
import { chinese } from './zh.ts';

const counting = { en: countingOf('en'), 'zh-CN': countingOf('zh-CN') };
const ours = (text: string, values?: Values, locale: keyof typeof counting = 'en') =>
  readMessage(text, counting[locale])(values);
/** The same by the library that others use. */
const theirs = (text: string, values?: Values) =>
  String(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).format(values));

/** Every value of every message, so that nothing is missing. */
const names = [
  ...new Set(
    [...Object.values(english), ...Object.values(chinese)].flatMap((text) => text.match(/\w+/g) ?? []),
  ),
];
const fillings = [0, 1, 2, 21, 12_480, 'failed', 'true', 'it’s <b>{a}</b>'].map(
  (value): Values => Object.fromEntries(names.map((name) => [name, value])),
);

describe('a message', () => {
  it.each(['en', 'zh-CN'] as const)('of the console in %s says what ICU says', (locale) => {
    for (const text of Object.values(locale === 'en' ? english : chinese)) {
      const icu = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
      for (const values of fillings)
        expect([text, ours(text, values, locale)]).toEqual([text, String(icu.format(values))]);
    }
  });

  it('may quote what would mean something', () => {
    for (const text of [
      "it's {n}",
      "'{n}' is {n}",
      "it''s",
      "a '{' b '}' {n}",
      "'{it''s'",
      "{n, plural, other {'#' #}}",
    ])
      expect(ours(text, { n: 3 })).toBe(theirs(text, { n: 3 }));
  });

  it('chooses by number, by count and by kind, one within another', () => {
    const text =
      '{n, plural, =0 {none} one {# run of {p}} other {{k, select, a {# as} other {many of {p}}}}}';
    for (const n of [0, 1, 5, 1_000])
      for (const k of ['a', 'b'])
        expect(ours(text, { n, k, p: 'etl' })).toBe(theirs(text, { n, k, p: 'etl' }));
  });

  it('shows the name of a value that it was not given', () => {
    expect(ours('{count} of {total}', { count: 1 })).toBe('1 of {total}');
  });

  it.each(['{', '{}', '{n, date}', '{n, plural, one {#}}', '{n, plural, other {#}', '{n, number, percent}'])(
    'is none: %s',
    (text) => {
      expect(() => ours(text)).toThrow(/^the message ".*" needs /);
    },
  );

  const word = fc.stringMatching(/^[a-z '#<>·中]{0,6}$/);
  const { message } = fc.letrec<{ message: string; part: string }>((tie) => ({
    message: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    part: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.constantFrom('{a}', '{ n }', '{n, number}', "''", "'{x}'"),
      fc
        .tuple(tie('message'), tie('message'))
        .map(([one, other]) => `{n, plural, one {${one}} other {${other}}}`),
      fc.tuple(tie('message'), tie('message')).map(([x, other]) => `{a,select, x{${x}} other{${other}}}`),
    ),
  }));

  it('of any shape says what ICU says', () => {
    fc.assert(
      fc.property(message, fc.nat(2_000), fc.constantFrom('x', 'y'), (text, n, a) => {
        const expected = said(() => theirs(text, { n, a }));
        fc.pre(expected !== undefined);
        expect(ours(text, { n, a })).toBe(expected);
      }),
    );
  });
});

/** Undefined where it is no message. */
function said(fill: () => string): string | undefined {
  try {
    return fill();
  } catch {
    return undefined;
  }
}
