/** What attempts start on other systems, on a real worker: kept before they go on, ended with them or left to the next. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePlugin, TaskFailure } from '../plugin/contract.ts';
import { eventually } from '../testing/eventually.ts';
import { assignment } from '../testing/scripted-master.ts';
import { start } from '../testing/test-worker.ts';

/** A system elsewhere, and a task type that works on it. */
async function startElsewhere(outlives = true) {
  const running = new Set<string>();
  const begun: string[] = [];
  let broken = false;
  const plugin = definePlugin({
    name: 'elsewhere',
    title: 'Elsewhere',
    description: 'Works elsewhere.',
    schema: z.strictObject({ id: z.string(), next: z.enum(['wait', 'succeed', 'fail']).default('wait') }),
    async run({ with: { id, next }, handle, hold, log, sleep: pause, exec }) {
      await hold(handle ?? id, { outlives });
      begun.push(handle === undefined ? id : `again ${handle}`);
      running.add(handle ?? id);
      await exec('true');
      log('begun');
      while (next === 'wait') await pause(20);
      if (next === 'fail') throw new TaskFailure('it failed');
    },
    async end({ exec, log }, handle) {
      if (broken) throw new TaskFailure('nobody answers');
      await exec('true');
      log(`ended ${handle}`);
      running.delete(handle);
    },
  });
  const bundled = [plugin];
  const worker = await start({ bundled });
  const given = (id: string, next = 'wait', more: object = {}) =>
    assignment({ type: 'elsewhere', with: { id, next }, ...more });
  const logOf = async (one: ReturnType<typeof given>) =>
    (await worker.worker.logs.read(one.workflow, one.attempt)).bytes.toString();
  return {
    ...worker,
    running,
    begun,
    given,
    logOf,
    breakIt: () => {
      broken = true;
    },
    handles: () => worker.master.said('handle').map(({ body }) => body),
    /** Gives one and waits until it works. */
    async begin(one: ReturnType<typeof given>) {
      worker.master.give(one);
      await eventually('it works', async () => (await logOf(one)).includes('begun'));
      return one;
    },
  };
}

describe('what an attempt starts elsewhere', () => {
  it('is kept before the attempt goes on', async () => {
    const { master, given, begun, handles } = await startElsewhere();
    master.manners.keeps = undefined;
    const one = given('a');
    master.give(one);
    await eventually('the handle is sent', () => handles().length === 1);
    await sleep(50);
    expect(begun).toEqual([]);
    // On a new connection it is sent again.
    master.manners.keeps = true;
    master.cut();
    await eventually('it goes on', () => begun.length === 1);
    expect(handles()).toEqual(['a', 'a']);
  });

  it('is over when the attempt succeeds, and ended when it fails or is killed', async () => {
    const { run, master, given, begin, running, handles } = await startElsewhere();
    expect((await run(given('a', 'succeed'))).outcome.state).toBe('success');
    expect(handles()).toEqual(['a', '']);
    expect([...running]).toEqual(['a']);
    const failed = await run(given('b', 'fail'));
    expect(failed.outcome).toMatchObject({ state: 'failed', error: 'it failed' });
    expect(failed.log).toContain('ended b');
    const one = await begin(given('c'));
    master.kill(one.attempt);
    const { outcome } = await eventually('reported', () => master.reportOf(one.attempt));
    expect(outcome.state).toBe('killed');
    expect([...running]).toEqual(['a']);
    expect(handles()).toEqual(['a', '', 'b', '', 'c', '']);
  });

  it('goes on at another worker when its own is stopped', async () => {
    const { worker, master, given, begin, running } = await startElsewhere();
    const one = await begin(given('a'));
    await worker.stop({ grace: 600_000 });
    expect(master.reportOf(one.attempt)?.outcome).toMatchObject({ state: 'withdrawn' });
    expect([...running]).toEqual(['a']);
    const next = await startElsewhere();
    await next.begin(next.given('other', 'wait', { handle: 'a' }));
    expect(next.begun).toEqual(['again a']);
  });

  it('that does not outlive its worker is ended with it', async () => {
    const { worker, master, given, begin, running } = await startElsewhere(false);
    const one = await begin(given('a'));
    await worker.stop({ grace: 0 });
    expect(master.reportOf(one.attempt)?.outcome).toMatchObject({ state: 'lost' });
    expect([...running]).toEqual([]);
  });

  it('is ended by another worker where nobody goes on with it', async () => {
    const { master, given, running, logOf, handles } = await startElsewhere();
    running.add('a');
    const one = given('a', 'wait', { handle: 'a' });
    master.say({ type: 'end', assignment: one });
    await eventually('it is over', () => handles().includes(''));
    expect([...running]).toEqual([]);
    expect(await logOf(one)).toMatch(/its worker was lost.*\nended a\n.* ended\n/s);
    expect(master.reportOf(one.attempt)).toBeUndefined();
  });

  it('that cannot be ended stays known', async () => {
    const { breakIt, master, given, begin, logOf, handles } = await startElsewhere();
    const one = await begin(given('a'));
    breakIt();
    master.kill(one.attempt);
    await eventually('reported', () => master.reportOf(one.attempt));
    expect(handles()).toEqual(['a']);
    expect(await logOf(one)).toContain('could not be ended: nobody answers; it is tried again');
  });

  it('is left alone where the masters have given the attempt up, and a handle has its limit', async () => {
    const { run, master, given, running } = await startElsewhere();
    expect((await run(given('x'.repeat(4_097)))).outcome).toMatchObject({
      error: 'a handle has 1 to 4096 bytes',
      fatal: true,
    });
    master.manners.keeps = false;
    running.add('a');
    expect((await run(given('a'))).outcome.error).toBe('the masters have given this attempt up');
    expect([...running]).toEqual(['a']);
  });
});
