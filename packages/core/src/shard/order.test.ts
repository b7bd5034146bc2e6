import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortNodes } from './order.ts';

describe('sortNodes', () => {
  it('compares addresses as numbers, then ports as numbers', () => {
    expect(sortNodes(['10.0.0.10', '10.0.0.9:10', '9.255.255.255', '10.0.0.9:9', '10.0.0.9'])).toEqual([
      '9.255.255.255',
      '10.0.0.9',
      '10.0.0.9:9',
      '10.0.0.9:10',
      '10.0.0.10',
    ]);
  });

  it('compares instances of one address by process', () => {
    expect(sortNodes(['10.0.0.2@-@1', '10.0.0.1@-@1000', '10.0.0.1@-@999'])).toEqual([
      '10.0.0.1@-@999',
      '10.0.0.1@-@1000',
      '10.0.0.2@-@1',
    ]);
  });

  it('puts names after addresses, by code points', () => {
    expect(
      sortNodes(['\u{1F600}', '\uFFFD', 'b', '10.0.0.5x', 'a10', 'a9', '300.0.0.1', '10.0.0.1']),
    ).toEqual(['10.0.0.1', '10.0.0.5x', '300.0.0.1', 'a10', 'a9', 'b', '\uFFFD', '\u{1F600}']);
  });

  it('leaves its input alone', () => {
    const nodes = ['b', 'a'];
    sortNodes(nodes);
    expect(nodes).toEqual(['b', 'a']);
  });
});

const node = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.constantFrom(':', '@-@', ':0', '.'), fc.nat(70_000)).map((parts) => parts.join('')),
  fc.constantFrom(
    '10.0.0.9',
    '10.0.0.10',
    '10.0.0.5x',
    '010.0.0.9',
    '10.0.0.9:07',
    '10.0.0.9:7',
    'x\ud83d',
    'x😀',
  ),
);

describe('the order of nodes', () => {
  it('is one for all lists: two nodes stand in a list of three as they do alone', () => {
    fc.assert(
      fc.property(fc.uniqueArray(node, { minLength: 3, maxLength: 3 }), (nodes) => {
        const [a, b, c] = sortNodes(nodes);
        for (const [before, after] of [
          [a, b],
          [b, c],
          [a, c],
        ])
          expect(sortNodes([after, before])).toEqual([before, after]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives one order whatever order the nodes came in', () => {
    fc.assert(
      fc.property(fc.uniqueArray(node), (nodes) => {
        expect(sortNodes(nodes.toReversed())).toEqual(sortNodes(nodes));
      }),
    );
  });
});
