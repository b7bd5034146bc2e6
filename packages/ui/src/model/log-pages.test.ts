import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogPages, PAGE_LINES } from './log-pages.ts';

describe('pages of a log', () => {
  const lines = (count: number, text = 'x') => Array.from({ length: count }, (_, i) => `${text}${i}`);

  it('are asked for around the view, once each', () => {
    const pages = new LogPages();
    expect(pages.missing(0, 10, 10_000)).toEqual([0, 1, 2]);
    pages.put(0, lines(PAGE_LINES));
    pages.put(1, lines(PAGE_LINES));
    expect(pages.missing(0, 10, 10_000)).toEqual([2]);
    expect(pages.line(PAGE_LINES + 3)).toBe('x3');
    expect(pages.line(2 * PAGE_LINES)).toBeUndefined();
  });

  it('are asked for again when the last one has grown', () => {
    const pages = new LogPages();
    pages.put(0, lines(100));
    expect(pages.missing(0, 10, 100)).toEqual([]);
    expect(pages.missing(0, 10, 101)).toEqual([0]);
  });

  it.each([0, 7, PAGE_LINES, 2 * PAGE_LINES, 3 * PAGE_LINES + 1])(
    'are there from the end of a log of %i lines on',
    (total) => {
      const pages = new LogPages();
      const all = lines(total);
      const end = all.slice(-2 * PAGE_LINES);
      pages.putEnd(total - end.length, end);
      const last = Math.max(total - 1, 0);
      expect(pages.missing(last, last, total, 0)).toEqual([]);
      for (let line = Math.floor(last / PAGE_LINES) * PAGE_LINES; line < total; line++)
        expect(pages.line(line)).toBe(`x${line}`);
      expect(pages.line(total)).toBeUndefined();
    },
  );

  it('go when they were not used for longest', () => {
    const page = lines(PAGE_LINES, 'some text ');
    const size = page.join('').length;
    const pages = new LogPages(size * 3);
    for (const number of [0, 1, 2]) pages.put(number, page);
    pages.missing(0, 0, 10_000, 0);
    pages.put(3, page);
    expect(pages.line(0)).toBe('some text 0');
    expect(pages.line(PAGE_LINES)).toBeUndefined();
    pages.clear();
    expect(pages.line(0)).toBeUndefined();
  });

  it('grow by what is written, in whatever pieces it comes', () => {
    const part = fc.oneof(
      fc.constant('\n'),
      fc.constant('a'),
      fc.constant('b\nc'),
      fc.constant('x\n'.repeat(1_200)),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const pages = new LogPages();
        let end = { total: 0, open: false };
        for (const piece of parts) end = pages.append(end, piece);
        const whole = parts.join('');
        const wanted = whole === '' ? [] : whole.replace(/\n$/, '').split('\n');
        expect(end).toEqual({ total: wanted.length, open: whole !== '' && !whole.endsWith('\n') });
        expect(wanted.map((_, line) => pages.line(line))).toEqual(wanted);
      }),
    );
  });

  it('that are not at hand are only counted when a log grows', () => {
    const pages = new LogPages();
    const end = pages.append({ total: PAGE_LINES + 10, open: false }, 'new\n');
    expect(end.total).toBe(PAGE_LINES + 11);
    expect(pages.line(PAGE_LINES + 10)).toBeUndefined();
  });

  it('that were read while a line was being written are read again, so that nothing of it is doubled', () => {
    const pages = new LogPages();
    const end = pages.append({ total: 0, open: false }, 'one\nhal');
    pages.put(0, ['one', 'half a line']);
    expect(pages.append(end, 'f a line\n')).toEqual({ total: 2, open: false });
    expect(pages.line(1)).toBeUndefined();
    expect(pages.missing(0, 1, 2, 0)).toEqual([0]);
  });
});
