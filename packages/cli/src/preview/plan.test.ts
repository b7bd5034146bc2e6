import { describe, expect, it } from 'vitest';
import { orrery, previewBatch } from '../run-binary.ts';

const example = 'preview plan --strategy range --total 2300 --nodes a,b,c'.split(' ');

describe('preview plan', () => {
  it('answers in JSON', async () => {
    const { code, out } = await orrery([...example, '--json']);
    expect(code).toBe(0);
    expect(out).toBe('{"nodes":{"a":[1,766],"b":[767,1532],"c":[1533,2300]}}\n');
  });

  it('answers a person with a line for each node', async () => {
    expect((await orrery(example)).out).toBe(
      'a  1 to 766      766 schedules\nb  767 to 1532   766 schedules\nc  1533 to 2300  768 schedules\n',
    );
  });

  it('gives null for a node that owns nothing, and sorts nodes by address', async () => {
    const lines = [
      { total: 2, nodes: ['10.0.0.10:1', '10.0.0.9:1'], strategy: 'balanced' },
      { total: 2, nodes: ['a', 'b', 'c'], strategy: 'range' },
      { total: 2, nodes: ['a'], strategy: 'half' },
    ];
    const [sorted, few, unknown] = await previewBatch('plan', lines);
    expect(JSON.stringify(sorted)).toBe('{"nodes":{"10.0.0.9:1":[1,1],"10.0.0.10:1":[2,2]}}');
    expect(few).toEqual({ nodes: { a: null, b: null, c: [1, 2] } });
    expect(unknown).toEqual({ error: 'unknown strategy "half"; there are: range, balanced, weighted' });
  });

  it('refuses a missing option in one line', async () => {
    expect(await orrery(['preview', 'plan', '--total', '3'])).toEqual({
      code: 2,
      out: '',
      err: 'orrery: --nodes: missing; names separated by commas\n',
    });
  });
});
