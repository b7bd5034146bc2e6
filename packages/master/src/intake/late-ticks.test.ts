import { submitTo } from '@orrery/testkit/engine';
import { EVERY, TickStage } from '@orrery/testkit/tick-stage';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterEach, expect, it } from 'vitest';

/** What a slow store takes to fire. */
const SLOW = 3_000;

let stage: TickStage;
afterEach(async () => {
  await stage.pass(SLOW);
  await stage.close();
});

/** A master whose store takes a while to fire; how many starts it asked for meanwhile, claim by claim. */
async function slowToFire(ms: number) {
  stage = await TickStage.open();
  const { world } = stage;
  const claims: number[] = [];
  let firing = 0;
  await stage.start('m1', 0, (inner) => ({
    fireTicks: async (input) => {
      firing++;
      await new Promise<void>((resolve) => void world.setTimer(ms, resolve));
      const answer = await inner.fireTicks(input);
      firing--;
      return answer;
    },
    claimWork: async (input) => {
      if (firing > 0) claims.push(input.starts);
      return inner.claimWork(input);
    },
  }));
  return claims;
}

/** Publishes a schedule that is due long enough ahead to be prepared; when that is. */
async function publish(): Promise<number> {
  const due = stage.world.now() + 5 * EVERY;
  const schedule = {
    name: 's',
    every: 86_400_000,
    from: due,
    timezone: 'UTC',
    misfire: { policy: 'skip', threshold: 60_000 } as const,
    params: {},
    enabled: true,
  };
  await stage.store.publishWorkflow({
    workflow: workflow([task('a')], { name: 'w', schedules: [schedule] }),
    due: { s: due },
    ...{ hash: 'w', source: '', note: '', author: '', now: stage.world.now() },
  });
  return due;
}

it('starts wait for late ticks for a second at most, and inboxes are read meanwhile', async () => {
  const claims = await slowToFire(SLOW);
  const due = await publish();
  await stage.pass(due - stage.world.now());
  const run = await submitTo(stage.store, workflow([task('a')], { name: 'other' }), stage.world.now());
  await stage.pass(SLOW - 1);
  const waited = claims.filter((starts) => starts === 0);
  expect(waited.length).toBeGreaterThan(1);
  expect(claims.slice(0, waited.length)).toEqual(waited);
  expect(claims.length).toBeGreaterThan(waited.length);
  expect((await stage.store.readRun({ id: run }))?.run.state).toBe('running');
});
