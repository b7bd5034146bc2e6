import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromText } from './text.ts';

describe('a text in a path or a query', () => {
  it.each([
    [z.int(), '12', 12],
    [z.number().optional(), '-1.5', -1.5],
    [z.int().default(5), '', ''],
    [z.int(), '1e3', '1e3'],
    [z.int(), ' 1', ' 1'],
    [z.int(), '123456789012345678', '123456789012345678'],
    [z.boolean().default(false), 'true', true],
    [z.boolean(), 'yes', 'yes'],
    [z.string(), '12', '12'],
    [z.string().transform(Number), '12', '12'],
    [z.enum(['a']).nullable(), 'a', 'a'],
    [z.union([z.int(), z.string()]), '12', 12],
    [z.union([z.int(), z.literal('draft')]), 'draft', 'draft'],
    [z.array(z.string()), 'a,b', ['a', 'b']],
    [z.array(z.int()).default([]), '1,x,,2', [1, 'x', 2]],
    [z.array(z.string()), '', []],
  ])('means what %o asks for: %j', (schema, text, value) => {
    expect(fromText(schema, text)).toEqual(value);
  });

  it('that stands several times is a list, and nothing else', () => {
    expect(fromText(z.array(z.int()), ['1', '2,3'])).toEqual([1, 2, 3]);
    expect(fromText(z.int(), ['1', '2'])).toEqual(['1', '2']);
    expect(fromText(z.boolean(), ['true', 'true'])).toEqual(['true', 'true']);
  });
});
