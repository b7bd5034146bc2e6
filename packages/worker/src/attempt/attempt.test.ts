import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '@orrery/core/timing';
import type { Assignment, Report } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { markOf, processIds } from '../guard/processes.ts';
import { Isolation } from '../isolation/isolation.ts';
import { LogBook } from '../log/log-book.ts';
import { logPath } from '../log/path.ts';
import { definePlugin, type TaskContext } from '../plugin/contract.ts';
import { createRegistry } from '../plugin/registry.ts';
import { eventually } from '../testing/eventually.ts';
import { hostClock } from '../testing/host-clock.ts';
import { assignment } from '../testing/scripted-master.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createExecutor } from './executor.ts';

type Run = (context: TaskContext<unknown>) => void | Promise<void>;

const isolation = await Isolation.open({ isolation: 'none', tenants: [], taskLimits: {}, work: '' });

/** Runs one attempt of a plugin made for the test. */
function begin(
  run: Run,
  changes: Partial<Assignment> = {},
  clock: VirtualClock | typeof hostClock = hostClock,
) {
  const folder = temporaryFolder();
  const plugin = definePlugin({ name: 'made', title: '', description: '', schema: z.unknown(), run });
  const logs = new LogBook(join(folder, 'logs'));
  const warnings: string[] = [];
  const fields: unknown[] = [];
  let suspected = false;
  const given = assignment({ type: 'made', ...changes });
  const executor = createExecutor({
    worker: `attempt-${process.pid}`,
    folder,
    work: join(folder, 'work'),
    isolation,
    registry: createRegistry([{ plugin, from: 'test' }]),
    logs,
    environment: { PATH: process.env.PATH ?? '' },
    killGrace: 1_000,
    logLimit: 1_000_000,
    clock,
    warn: (text, about) => {
      warnings.push(text);
      fields.push(about);
    },
    suspect: () => {
      suspected = true;
    },
  });
  executor.extend(600_000);
  let report: Report | undefined;
  const start = () =>
    executor.run(
      given,
      (ended) => {
        expect(report).toBeUndefined();
        report = ended;
        executor.close();
      },
      async () => true,
    );
  const log = async () => (await logs.read('etl', given.attempt)).bytes.toString();
  const reported = () => eventually('reported', () => report);
  return {
    start,
    reported,
    report: () => report,
    log,
    logs,
    given,
    warnings,
    fields,
    folder,
    suspected: () => suspected,
  };
}

describe('a plugin inside the worker', () => {
  it('is reported in the same turn if it does nothing that takes time', () => {
    const { start, report } = begin(() => {});
    start();
    expect(report()?.outcome.state).toBe('success');
  });

  it('hears by its signal that it is to end, and may answer in its own time', async () => {
    const { start, reported, log } = begin(async ({ signal, log }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log('tidied up');
    });
    start().stop('killed');
    expect((await reported()).outcome).toMatchObject({ state: 'killed' });
    expect(await log()).toMatch(/tidied up\n\[orrery\] \S+ killed: killed on request\n$/);
  });

  it('that does not end when told to is left alone after the grace, and heard no more', async () => {
    const clock = new VirtualClock(0);
    let late: TaskContext<unknown> | undefined;
    const never = (context: TaskContext<unknown>) => {
      late = context;
      return new Promise<void>(() => {});
    };
    const { start, report, warnings, log } = begin(never, {}, clock);
    const running = start();
    running.stop('timed-out');
    await turn();
    clock.advance(999);
    expect(report()).toBeUndefined();
    clock.advance(1);
    expect(report()?.outcome.state).toBe('timed-out');
    expect(warnings[0]).toMatch(/did not end when told to/);
    late?.log('too late');
    running.stop('killed');
    expect(await log()).toBe('');
  });

  it('sees that it is to end even if it asks only then', async () => {
    let aborted: boolean | undefined;
    const { start, reported } = begin(async ({ sleep, signal }) => {
      await sleep(100_000).catch(() => {});
      aborted = signal.aborted;
      await sleep(100_000);
    });
    start().stop('killed');
    expect((await reported()).outcome.state).toBe('killed');
    expect(aborted).toBe(true);
  });

  it('may throw anything', async () => {
    for (const thrown of [undefined, null, 'text', { message: 5 }]) {
      const { start, report } = begin(() => {
        throw thrown;
      });
      start();
      expect(report()?.outcome).toMatchObject({ state: 'failed', error: expect.any(String) });
    }
  });

  it('gives its outputs names that parameters may have', async () => {
    const { start, reported } = begin(({ output }) => output('a b', 1));
    start();
    expect((await reported()).outcome.error).toMatch(/"a b" is not the name of a parameter/);
  });
});

describe('processes of a plugin', () => {
  it('run one after another or at once, and what they used is added up', async () => {
    const { start, reported, log } = begin(async ({ exec, log }) => {
      const codes = await Promise.all([
        exec('/bin/sh', ['-c', 'exit 4']),
        exec('/bin/sh', ['-c', 'echo "$X"'], { environment: { X: 'x' } }),
      ]);
      log(codes.join());
    });
    start();
    expect((await reported()).outcome.state).toBe('success');
    expect(await log()).toMatch(/x\n4,0\n/);
  });

  it('that it does not wait for are ended with it, also if they were only just asked for', async () => {
    const running = (run: number) => processIds().filter((pid) => markOf(pid)?.includes(`/${run}.0.1/`));
    for (const waits of [true, false]) {
      const { start, reported, given } = begin(async ({ exec, workDir }) => {
        void exec('/bin/sh', ['-c', `touch ${workDir}/started; sleep 1000`]);
        if (waits) await eventually('started', () => existsSync(`${workDir}/started`));
      });
      start();
      expect((await reported()).outcome.state).toBe('success');
      expect(running(given.attempt.run)).toEqual([]);
    }
  });

  it('do not start any more once the attempt is to end', async () => {
    const { start, reported, log } = begin(async ({ exec, signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await exec('/bin/sh', ['-c', 'echo started']);
    });
    start().stop('killed');
    expect((await reported()).outcome.state).toBe('killed');
    expect(await log()).not.toContain('started');
  });

  it('do not start in a worker that froze on the way until its lease had run out', async () => {
    const clock = new VirtualClock(0);
    const { start, reported, log } = begin(
      async ({ exec }) => void (await exec('/bin/sh', ['-c', 'echo started'])),
      { onLostContact: 'kill' },
      clock,
    );
    start();
    // Its log is being opened: no process of it exists yet.
    clock.advance(600_000);
    expect((await reported()).outcome).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('lease'),
    });
    expect(await log()).not.toContain('started\n');
  });
});

describe('a full disk', () => {
  it('does not stop code inside the worker: the end of its log is reported, and the worker says what is missing', async () => {
    const { start, reported, logs, given, warnings, fields, suspected } = begin(({ log }) => {
      log('lost');
      throw new Error('as expected');
    });
    const path = logPath(logs.folder, given.workflow, given.attempt);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync('/dev/full', path);
    start();
    const { outcome, logTail } = await reported();
    expect(outcome).toMatchObject({ state: 'failed', error: 'as expected' });
    expect(logTail).toBe('lost\n');
    expect(warnings[0]).toMatch(/bytes are missing in .*ENOSPC/);
    const { run } = given.attempt;
    expect(fields[0]).toMatchObject({ run, attempt: `${run}.${given.taskName}.${given.attempt.number}` });
    expect(suspected()).toBe(true);
  });

  it('hands an attempt back whose log cannot be written, before anything of it runs', async () => {
    const { start, reported, logs, given, folder } = begin(({ exec }) =>
      exec('/bin/sh', ['-c', `touch ${folder}/ran`]).then(() => {}),
    );
    const path = logPath(logs.folder, given.workflow, given.attempt);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync('/dev/full', path);
    start();
    expect((await reported()).outcome).toMatchObject({
      state: 'withdrawn',
      error: expect.stringMatching(/cannot write to .*ENOSPC/),
    });
    expect(readdirSync(folder)).not.toContain('ran');
  });
});

describe('a worker whose folder is gone', () => {
  it.each(['work', 'logs'])('hands back what needs its folder %s, which is a file now', async (name) => {
    const { start, reported, folder } = begin(({ exec, workDir }) =>
      exec('/bin/sh', ['-c', workDir]).then(() => {}),
    );
    writeFileSync(join(folder, name), '');
    start();
    expect((await reported()).outcome).toMatchObject({
      state: 'withdrawn',
      error: expect.stringMatching(name),
    });
  });

  it('lets an attempt fail that had a process already', async () => {
    const { start, reported, folder } = begin(async ({ exec }) => {
      await exec('/bin/sh', ['-c', 'true']);
      rmSync(join(folder, 'work'), { recursive: true });
      await exec('/bin/sh', ['-c', 'true']);
    });
    start();
    expect((await reported()).outcome).toMatchObject({ state: 'failed' });
  });

  it('lets a task fail that asks for what cannot be: a folder that is not there, a file outside', async () => {
    for (const run of [
      ({ exec }: TaskContext<unknown>) => exec('/bin/sh', [], { cwd: '/nowhere' }).then(() => {}),
      () => mkdirSync('/proc/nothing/here'),
    ]) {
      const { start, reported } = begin(run as Run);
      start();
      expect((await reported()).outcome.state).toBe('failed');
    }
  });
});
