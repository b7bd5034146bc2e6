import { describe, expect, it } from 'vitest';
import elasticjob from '../../fixtures/elasticjob-sharding.json' with { type: 'json' };
import { javaHash, slotOf } from './java-hash.ts';

describe('javaHash', () => {
  it('equals what Java printed for every job name', () => {
    const names = new Map(elasticjob.map(({ jobName, hash }) => [jobName, hash]));
    expect(names.size).toBeGreaterThan(10);
    for (const [name, hash] of names) expect(javaHash(name), name).toBe(hash);
  });

  it('is 0 for the empty text and counts UTF-16 units', () => {
    expect(javaHash('')).toBe(0);
    expect(javaHash('😀')).toBe(0xd83d * 31 + 0xde00);
  });
});

describe('slotOf', () => {
  it('stays inside the list for the smallest hash, where Java leaves it', () => {
    expect(javaHash('polygenelubricants')).toBe(-(2 ** 31));
    expect(slotOf(-(2 ** 31), 3)).toBe(2);
    expect(slotOf(-(2 ** 31), 5)).toBe(3);
    expect(slotOf(-7, 3)).toBe(1);
  });
});
