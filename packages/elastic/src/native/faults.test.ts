import { Random } from '@orrery/testkit/random';
import { seeds } from '@orrery/testkit/tier';
import { describe, expect, it } from 'vitest';
import { overlaps, Stage, type StageInstance, shardsIn } from '../testing/stage.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const shards = 7;
const all = Array.from({ length: shards }, (_, i) => i);

/** Minutes of joins, leaves, crashes and cuts; then quiet, in which every shard must run at each tick. */
async function play(seed: number): Promise<{ stage: Stage; quiet: number }> {
  const random = new Random(seed);
  const stage = new Stage(settle);
  const failover = random.chance(0.5);
  const job = stage.job({ shards, cron: '0/10 * * * * ?', failover });
  const live: StageInstance[] = [];
  let names = 0;
  const join = async () =>
    void live.push(await stage.start(`n${++names}`, job, { takes: random.int(12_000) }));
  await join();
  for (let step = 0; step < 30; step++) {
    const one = random.pick(live);
    const what = random.int(5);
    if (what === 0 && live.length < 5) await join();
    else if (what === 1 && live.length > 1) {
      stage.crash(one);
      live.splice(live.indexOf(one), 1);
    } else if (what === 2 && live.length > 1) {
      void one.runner.stop();
      live.splice(live.indexOf(one), 1);
    } else if (what === 3) {
      const registry = one.registry();
      registry.faults.cut(random.pick(['both', 'requests', 'answers']));
      stage.clock.setTimer(500 + random.int(7_500), () => registry.faults.restore());
    }
    await stage.pass(random.int(9_000));
  }
  // Everything that still can comes back and settles.
  await stage.pass(60_000);
  const quiet = stage.ran.length;
  await stage.pass(60_000);
  return { stage, quiet };
}

describe('a job whose instances come, go, crash and are cut off', () => {
  for (const seed of seeds(60, 500))
    it(`runs no shard twice at once or for one tick and loses none, seed ${seed}`, async () => {
      const { stage, quiet } = await play(seed);
      expect(overlaps(stage.ran)).toEqual([]);
      for (const shard of all) {
        const tokens = stage.ran.filter((one) => one.shard === shard).map(({ token }) => token);
        expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
        expect(new Set(tokens).size).toBe(tokens.length);
        const ticks = stage.ran.filter((one) => one.shard === shard && one.due !== undefined);
        expect(new Set(ticks.map(({ due }) => due)).size).toBe(ticks.length);
      }
      const later = shardsIn(stage.since(quiet));
      expect(new Set(later)).toEqual(new Set(all));
      // Six ticks, or one round of makeshift for those that came during one of up to 12 s.
      expect(later.length).toBeGreaterThanOrEqual(shards * 4);
    });
});
