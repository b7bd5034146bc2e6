import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families, palette } from './palette.ts';
import { contrast, difference, visions } from './vision.ts';

describe('the measures', () => {
  it('agree with published values', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(difference('#ff0000', '#00ff00', 'normal')).toBeCloseTo(86.61, 1);
    expect(difference('#123456', '#123456', 'deutan')).toBe(0);
  });
});

describe.each(['light', 'dark'] as const)('the %s palette', (scheme) => {
  const { ground, raised, text, dim, focus, states } = palette[scheme];

  it('keeps words readable on both grounds', () => {
    for (const under of [ground, raised])
      for (const ink of [text, dim, focus, ...families.map((family) => states[family].text)])
        expect([ink, contrast(ink, under) >= 4.5]).toEqual([ink, true]);
  });

  it('keeps fills visible on both grounds', () => {
    for (const under of [ground, raised])
      for (const family of families)
        expect([family, contrast(states[family].fill, under) >= 3]).toEqual([family, true]);
  });

  it.each(visions)('keeps every two families apart in %s vision', (vision) => {
    for (const one of families)
      for (const other of families)
        if (one < other)
          expect([one, other, difference(states[one].fill, states[other].fill, vision) >= 15]).toEqual([
            one,
            other,
            true,
          ]);
  });

  it('is what the style sheet says', () => {
    const css = readFileSync(join(import.meta.dirname, 'variables.css'), 'utf8').toLowerCase();
    const [light, dark] = css.split('[data-mantine-color-scheme="dark"]');
    const block = scheme === 'light' ? light : dark;
    const said = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1];
    expect({
      ground: said('ground'),
      raised: said('raised'),
      text: said('text'),
      dim: said('dim'),
      focus: said('focus'),
    }).toEqual({ ground, raised, text, dim, focus });
    for (const family of families)
      expect([said(`${family}-fill`), said(`${family}-text`)]).toEqual([
        states[family].fill,
        states[family].text,
      ]);
  });
});
