import { describe, expect, it } from 'vitest';
import { parseWorkflowFile } from '../model/index.ts';
import { english } from '../texts/index.ts';
import { sizeRefusal } from './size.ts';

describe('parameters that are too large to be sent to a worker', () => {
  it('are measured in bytes, as JSON', () => {
    expect(sizeRefusal({})).toBeUndefined();
    expect(sizeRefusal({ a: 'x'.repeat(799_990) })).toBeUndefined();
    expect(english(sizeRefusal({ a: 'x'.repeat(800_000) }) ?? '')).toMatch(
      /take 800008 bytes; at most 800000/,
    );
    expect(english(sizeRefusal({ a: '字'.repeat(300_000) }) ?? '')).toMatch(/take 900008 bytes/);
    expect(english(sizeRefusal({ a: '"'.repeat(400_000) }) ?? '')).toMatch(/take 800008 bytes/);
  });

  it.each([
    'schedules: [{name: s, every: 1h, params: {a: @}}]',
    'triggers: [{name: t, after: up, params: {a: @}}]',
  ])('are refused where a workflow gives them: %s', (line) => {
    const text = (length: number) =>
      `name: w\nparams: {a: ''}\n${line.replace('@', 'x'.repeat(length))}\ntasks: [{name: a, type: shell}]`;
    expect(parseWorkflowFile(text(10)).problems).toEqual([]);
    expect(parseWorkflowFile(text(800_000)).problems).toMatchObject([
      { code: 'too-large', message: expect.stringContaining('the parameters take 800008 bytes') },
    ]);
  });
});
