/** What attempts start on other systems, at a real master: it outlives their workers, and nobody leaves it behind. */
import { StoreClock } from '@orrery/cluster';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite } from '@orrery/store';
import { submitTo } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { ownProcess } from '@orrery/wire/caller';
import { HANDLE_LIMIT, type MasterFrame, type WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { expect, it, onTestFinished } from 'vitest';
import { Master } from '../master.ts';
import { masterDefaults } from '../ports.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
type Heard<Type extends MasterFrame['type']> = Extract<MasterFrame, { type: Type }>;

/** A master, a run of one task, and workers that say what the test says; all of them beat. */
async function start() {
  const clock = new VirtualClock(1_700_000_000_000);
  const store = await openSqlite(':memory:');
  const config = { ...masterDefaults, id: 'm1', address: 'm1:7071' };
  const master = await Master.start(config, { clock: StoreClock.unmeasured(clock), store, log: () => {} });
  onTestFinished(() => master.stop());
  const beating: (() => void)[] = [];
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      for (const beat of beating) beat();
      await clock.advanceAsync(Math.min(left, 1_000), settle);
    }
  };
  const join = async (worker: string) => {
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>(queueMicrotask);
    const heard: MasterFrame[] = [];
    mine.onFrame((frame) => heard.push(frame));
    master.accept(its, ownProcess);
    mine.send({ type: 'hello', worker, address: '', groups: ['default'], slots: 8 });
    await pass(1_000);
    const all = <Type extends MasterFrame['type']>(type: Type) =>
      heard.filter((frame): frame is Heard<Type> => frame.type === type);
    const { epoch } = all('welcome')[0];
    let beats = 0;
    let takes = 0;
    const given = () => all('give').flatMap(({ assignments }) => assignments);
    const beat = () =>
      mine.send({
        type: 'beat',
        epoch,
        beat: ++beats,
        take: all('give').length,
        held: given().map(({ attempt }) => attempt),
        load: { cpu: 0, memory: 0, running: 0 },
      });
    beating.push(beat);
    return {
      all,
      given,
      async take() {
        mine.send({ type: 'take', epoch, number: ++takes, room: 1 });
        await pass(1_000);
        return given().at(-1);
      },
      async hold(body: string, attempt = given()[0].attempt) {
        mine.send({ type: 'handle', epoch, attempt, body });
        await pass(100);
        return all('handle-kept').at(-1)?.kept;
      },
      /** It falls silent until it is lost. */
      async vanish() {
        beating.splice(beating.indexOf(beat), 1);
        await pass(3 * masterDefaults.lease);
      },
    };
  };
  const run = await submitTo(store, workflow([task('a')]), clock.now());
  const stop = async () => {
    const message = { type: 'control', control: { type: 'stop' }, by: 'test' } as const;
    await store.sendControl({ run, message, now: clock.now() });
    await pass(10_000);
  };
  return { pass, join, stop };
}

it('the next attempt goes on with what a lost worker has started', async () => {
  const { join } = await start();
  const first = await join('w1');
  await first.take();
  expect(await first.hold('x'.repeat(HANDLE_LIMIT + 1))).toBe(false);
  expect(await first.hold('application_1')).toBe(true);
  const second = await join('w2');
  await first.vanish();
  expect(await second.take()).toMatchObject({ attempt: { number: 2 }, handle: 'application_1' });
});

it('a worker ends what nobody goes on with: its task was stopped with its worker gone', async () => {
  const { join, stop, pass } = await start();
  const first = await join('w1');
  await first.take();
  await first.hold('application_1');
  const second = await join('w2');
  await first.vanish();
  expect(second.all('end')).toEqual([]);
  await stop();
  expect(second.all('end')).toMatchObject([
    { assignment: { attempt: { number: 1 }, handle: 'application_1', taskName: 'a' } },
  ]);
  expect(await second.hold('', second.all('end')[0].assignment.attempt)).toBe(true);
  await pass(20_000);
  expect(second.all('end')).toHaveLength(1);
});

it('also where the kill came before its worker was lost', async () => {
  const { join, stop } = await start();
  const first = await join('w1');
  await first.take();
  await first.hold('application_1');
  await stop();
  expect(first.all('kill')).not.toEqual([]);
  const second = await join('w2');
  await first.vanish();
  expect(second.all('end')).toMatchObject([{ assignment: { handle: 'application_1' } }]);
});

it("what an attempt has let go is nobody's to end", async () => {
  const { join, stop } = await start();
  const first = await join('w1');
  await first.take();
  await first.hold('application_1');
  expect(await first.hold('')).toBe(true);
  const second = await join('w2');
  await first.vanish();
  await stop();
  expect([second.all('end'), (await second.take())?.handle]).toEqual([[], undefined]);
});
