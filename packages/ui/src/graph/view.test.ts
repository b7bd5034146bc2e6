import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fit, reveal, type View, visible, ZOOM, zoomAt } from './view.ts';

const screen = { width: 800, height: 600 };
const coordinate = fc.double({ min: -10_000, max: 10_000, noNaN: true });
const view = fc.record({
  x: coordinate,
  y: coordinate,
  zoom: fc.double({ min: 0.1, max: 1.5, noNaN: true }),
});

const toPlane = ({ x, y, zoom }: View, at: { x: number; y: number }) => ({
  x: (at.x - x) / zoom,
  y: (at.y - y) / zoom,
});

describe('the view of a plane', () => {
  it('zooms about the pointer: what is under it stays under it', () => {
    fc.assert(
      fc.property(view, fc.double({ min: 0.5, max: 2, noNaN: true }), (from, factor) => {
        const at = { x: 300, y: 200 };
        const to = zoomAt(from, factor, at);
        expect(toPlane(to, at).x).toBeCloseTo(toPlane(from, at).x, 3);
        expect(toPlane(to, at).y).toBeCloseTo(toPlane(from, at).y, 3);
        expect(to.zoom).toBeGreaterThanOrEqual(ZOOM.least);
        expect(to.zoom).toBeLessThanOrEqual(ZOOM.most);
      }),
    );
  });

  it('fits a box whole and in the middle, without making it larger than life', () => {
    const small = fit({ x: 100, y: 100, width: 200, height: 100 }, screen);
    expect(small.zoom).toBe(1);
    const wide = fit({ x: 0, y: 0, width: 4_000, height: 100 }, screen);
    const seen = visible(wide, screen);
    expect(seen.x).toBeLessThanOrEqual(0);
    expect(seen.x + seen.width).toBeGreaterThanOrEqual(4_000);
    expect(seen.y + seen.height / 2).toBeCloseTo(50);
  });

  it('moves only as far as a box needs to be seen', () => {
    const still = { x: 0, y: 0, zoom: 1 };
    expect(reveal(still, { x: 100, y: 100, width: 200, height: 50 }, screen)).toBe(still);
    expect(reveal(still, { x: 900, y: 100, width: 200, height: 50 }, screen)).toEqual({
      x: -324,
      y: 0,
      zoom: 1,
    });
    expect(reveal(still, { x: -50, y: 100, width: 200, height: 50 }, screen)).toEqual({
      x: 74,
      y: 0,
      zoom: 1,
    });
  });
});
