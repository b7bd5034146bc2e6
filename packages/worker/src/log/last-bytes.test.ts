import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LastBytes } from './last-bytes.ts';

it('keeps just the end, in whatever pieces it came', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      (pieces, most) => {
        const last = new LastBytes(most);
        for (const piece of pieces) last.add(Buffer.from(piece));
        expect(last.bytes()).toEqual(Buffer.concat(pieces).subarray(-most));
      },
    ),
  );
});
