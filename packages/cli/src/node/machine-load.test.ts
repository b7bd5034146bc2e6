import { describe, expect, it } from 'vitest';
import { startLoadMeter } from './machine-load.ts';

describe('the load of this machine', () => {
  it('is told as shares, and as the delay of the event loop', async () => {
    const meter = startLoadMeter();
    try {
      await expect
        .poll(() => {
          const { memory = 0, eventLoopDelay = 0, cpu } = meter.measure();
          expect(memory).toBeGreaterThan(0);
          expect(memory).toBeLessThan(1);
          expect(eventLoopDelay).toBeGreaterThanOrEqual(0);
          return cpu;
        })
        .toBeGreaterThanOrEqual(0);
    } finally {
      meter.stop();
    }
  });

  it('shows a step that held the event loop', async () => {
    const meter = startLoadMeter();
    try {
      await new Promise<void>((resolve) => setTimeout(resolve, 50));
      const until = performance.now() + 300;
      while (performance.now() < until);
      await new Promise<void>((resolve) => setTimeout(resolve, 50));
      expect(meter.measure().eventLoopDelay).toBeGreaterThan(100);
    } finally {
      meter.stop();
    }
  });
});
