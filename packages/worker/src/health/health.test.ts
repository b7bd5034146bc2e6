import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { Health } from './health.ts';
import { findProblem } from './probe.ts';

/** A health in virtual time whose checks find what the test says. */
function setUp() {
  const clock = new VirtualClock(0);
  const world = { found: undefined as string | undefined, checks: [] as boolean[], told: 0 };
  const health = new Health(clock, async (processes) => {
    world.checks.push(processes);
    return world.found;
  });
  health.listen(() => world.told++);
  const pass = (ms: number) => clock.advanceAsync(ms, () => turn());
  return { health, world, pass };
}

describe('the health of a worker', () => {
  it('is checked before the first take, and again when the check is a second old', async () => {
    const { health, world, pass } = setUp();
    expect(health.mayTake()).toBe(false);
    await pass(1);
    expect(health.mayTake()).toBe(true);
    expect(world).toMatchObject({ checks: [true], told: 1 });
    await pass(1_000);
    expect(health.mayTake()).toBe(false);
    await pass(1);
    expect(health.mayTake()).toBe(true);
    // A process is started only when there is a doubt.
    expect(world.checks).toEqual([true, false]);
  });

  it('comes back by itself when what was wrong is mended', async () => {
    const { health, world, pass } = setUp();
    world.found = 'no space left';
    health.refresh();
    await pass(1);
    expect([health.problem, health.mayTake()]).toEqual(['no space left', false]);
    await pass(5_000);
    expect(world.checks.length).toBe(6);
    world.found = undefined;
    await pass(1_000);
    expect([health.problem, health.mayTake()]).toEqual([undefined, true]);
  });

  it('waits longer each time attempts are handed back although nothing is found wrong', async () => {
    const { health, pass } = setUp();
    const away: number[] = [];
    for (let i = 0; i < 8; i++) {
      health.failed('cannot start processes');
      let ms = 0;
      for (; health.problem !== undefined; ms += 1_000) await pass(1_000);
      away.push(ms / 1_000);
    }
    expect(away).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    health.succeeded();
    health.failed('cannot start processes');
    await pass(1_000);
    expect(health.problem).toBeUndefined();
  });

  it('does not take a check for an answer that began before an attempt was handed back', async () => {
    const { health, pass } = setUp();
    health.refresh();
    health.failed('no memory');
    await pass(1);
    expect(health.problem).toBe('no memory');
  });
});

describe('what is checked', () => {
  const least = { minFreeDisk: 0, minFreeMemory: 0 };

  it('is room in the folders, which are made where they are missing', async () => {
    const folder = join(temporaryFolder(), 'deep', 'logs');
    expect(await findProblem({ ...least, folders: [folder] }, true)).toBeUndefined();
    const loaded = { ...least, folders: [folder], loadLimits: { cpu: 0.8 } };
    expect(await findProblem({ ...loaded, measure: () => ({ cpu: 0.7 }) }, false)).toBeUndefined();
    expect(await findProblem({ ...loaded, measure: () => ({ cpu: 0.9 }) }, false)).toBe(
      'overloaded: processor use 90 % is above 80 %',
    );
    expect(await findProblem({ ...least, folders: [folder], minFreeDisk: 2 ** 60 }, false)).toMatch(
      /^no space left in .*logs: .* free, .* needed$/,
    );
  });

  it('is that they can be written', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(await findProblem({ ...least, folders: [join(folder, 'file')] }, false)).toMatch(
      /cannot write to/,
    );
    mkdirSync(join(folder, 'taken', '.health'), { recursive: true });
    expect(await findProblem({ ...least, folders: [join(folder, 'taken')] }, false)).toMatch(/EISDIR/);
  });

  it('is free memory', async () => {
    expect(await findProblem({ ...least, folders: [], minFreeMemory: 2 ** 60 }, false)).toMatch(
      /^no memory left/,
    );
  });
});
