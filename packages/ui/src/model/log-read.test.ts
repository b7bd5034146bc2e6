import { describe, expect, it } from 'vitest';
import { readLastLines, readLines } from './log-read.ts';

/** A log as the server gives it: as many letters as fit into an answer. */
function logOf(lines: readonly string[], fits: number, ended = true) {
  const whole = lines.join('\n') + (ended ? '\n' : '');
  const asked: string[] = [];
  const read = async ({ line }: { readonly line: string }) => {
    asked.push(line);
    const [, back, from, to] = /^(?:-(\d+)|(\d+)-(\d+))$/.exec(line) ?? [];
    const first = back === undefined ? Number(from) - 1 : Math.max(0, lines.length - Number(back));
    const before = lines.slice(0, first).join('\n').length + (first > 0 ? 1 : 0);
    const wanted = lines.slice(first, back === undefined ? Number(to) : lines.length);
    const all = whole.slice(before, before + wanted.join('\n').length + 1);
    const text = first >= lines.length ? '' : all.slice(0, fits);
    return { text, lines: lines.length, next: before + text.length, size: whole.length };
  };
  return { read, asked };
}

const lines = Array.from({ length: 40 }, (_, k) => `${k} ${'x'.repeat(k % 7)}`);

describe('lines of a log', () => {
  it.each([10, 11, 12, 25, 60, 10_000])('are all there where %i letters fit into an answer', async (fits) => {
    const { read } = logOf(lines, fits);
    expect(await readLines(read, 3, 31)).toEqual(lines.slice(3, 31));
    expect(await readLines(read, 0, 500)).toEqual(lines);
  });

  it('have the beginning of one that fits into no answer, and those after it', async () => {
    const { read } = logOf(['a', 'b'.repeat(90), 'c'], 20);
    expect(await readLines(read, 0, 3)).toEqual(['a', 'b'.repeat(20), 'c']);
  });

  it('end with one that is still being written', async () => {
    const { read } = logOf(['a', 'bc'], 100, false);
    expect(await readLines(read, 0, 9)).toEqual(['a', 'bc']);
  });

  it('are none of a log that has none', async () => {
    const { read } = logOf([], 10);
    expect(await readLines(read, 0, 9)).toEqual([]);
  });
});

describe('the last lines of a log', () => {
  it.each([12, 25, 10_000])('are the last ones where %i letters fit into an answer', async (fits) => {
    const { read } = logOf(lines, fits);
    const { last } = await readLastLines(read, 9);
    expect(last).toEqual(lines.slice(-9));
  });

  it('are asked for once where they fit', async () => {
    const { read, asked } = logOf(lines, 10_000);
    await readLastLines(read, 9);
    expect(asked).toEqual(['-9']);
  });
});
