import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { assignment } from '../testing/scripted-master.ts';
import { startWorkerProcess } from '../testing/start-worker-process.ts';
import { stubborn } from '../testing/stubborn-tasks.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { processIds, statOf } from './processes.ts';

const root = temporaryFolder();
let files = 0;

/** A shell task that tells in a file the id of the process that must not survive. */
function task(script: (mark: string) => string) {
  const file = join(root, `pid${files++}`);
  const given = assignment({ type: 'shell', with: { script: script(`echo $$ > ${file}`) } });
  const started = () => eventually('the task has started', () => existsSync(file) && pid() > 0);
  const pid = () => Number(readFileSync(file, 'utf8'));
  const lives = () => statOf(pid())?.zombie === false;
  return { given, started, lives };
}

describe('when its worker is killed by SIGKILL, no task survives:', () => {
  for (const [name, script] of Object.entries(stubborn)) {
    // This one ends with its guard already; that it does is all the better.
    if (name === 'one that kills its guard') continue;
    it(name, async () => {
      const { given, started, lives } = task(script);
      const worker = startWorkerProcess([given], temporaryFolder());
      await started();
      expect(lives()).toBe(true);
      worker.process.kill('SIGKILL');
      await eventually('nothing is left', () => !lives() && worker.tasks().length === 0);
    });
  }

  it('also if all its guards were killed before', async () => {
    const { given, started, lives } = task((mark) => `${mark}; setsid sleep 1000 & exec setsid sleep 1001`);
    const worker = startWorkerProcess([given], temporaryFolder());
    await started();
    // The worker stands still, so that it cannot notice; the keeper is all that is left.
    worker.process.kill('SIGSTOP');
    const sleeping = await eventually('both sleep', () => {
      const own = worker.tasks().filter((pid) => /sleep/.test(commandOf(pid)));
      return own.length === 2 && own;
    });
    for (const pid of worker.tasks()) if (!sleeping.includes(pid)) process.kill(pid, 'SIGKILL');
    expect(lives()).toBe(true);
    worker.process.kill('SIGKILL');
    await eventually('nothing is left', () => !lives() && worker.tasks().length === 0);
  });
});

describe('when a worker is killed whose keeper stands still', () => {
  it('its guards end their groups', async () => {
    const { given, started, lives } = task(stubborn['one without its environment']);
    const worker = startWorkerProcess([given], temporaryFolder());
    await started();
    const [keeper] = await eventually('the keeper runs', () => {
      const found = processIds().filter((pid) => commandOf(pid).includes('keeper-process'));
      const own = found.filter((pid) => commandOf(pid).includes(worker.folder));
      return own.length === 1 && own;
    });
    process.kill(keeper, 'SIGSTOP');
    worker.process.kill('SIGKILL');
    await eventually('nothing is left', () => !lives() && worker.tasks().length === 0);
    process.kill(keeper, 'SIGKILL');
  });
});

describe('when its worker is frozen, a task is gone after the lease:', () => {
  it('all but those that may be kept', async () => {
    const mortal = Object.entries(stubborn).filter(([name]) => !/environment|guard/.test(name));
    const tasks = mortal.map(([, script]) => task(script));
    const kept = task((mark) => `${mark}; sleep 1000`);
    const keep = { ...kept.given, onLostContact: 'keep' as const };
    const worker = startWorkerProcess([...tasks.map(({ given }) => given), keep], temporaryFolder(), {
      lease: 3_000,
    });
    for (const { started } of [...tasks, kept]) await started();
    worker.process.kill('SIGSTOP');
    await eventually('the lease is over', () => tasks.every(({ lives }) => !lives()));
    expect(kept.lives()).toBe(true);
    worker.process.kill('SIGKILL');
    await eventually('nothing is left', () => !kept.lives() && worker.tasks().length === 0);
  });

  it('and a worker that wakes up again reports them lost', async () => {
    const { given, started, lives } = task((mark) => `${mark}; sleep 1000`);
    const worker = startWorkerProcess([given], temporaryFolder(), { lease: 1_500 });
    await started();
    worker.process.kill('SIGSTOP');
    await eventually('the lease is over', () => !lives());
    worker.process.kill('SIGCONT');
    const report = await eventually('reported', () => worker.reports[0]);
    expect(report.outcome.state).toBe('lost');
    worker.process.kill('SIGKILL');
    await once(worker.process, 'exit');
  });
});

describe('a task that kills its guard', () => {
  it('ends, and fails', async () => {
    const { given, started, lives } = task(stubborn['one that kills its guard']);
    const worker = startWorkerProcess([given], temporaryFolder());
    await started();
    const report = await eventually('reported', () => worker.reports[0]);
    expect(report.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('guard') });
    expect(lives()).toBe(false);
    worker.process.kill('SIGKILL');
    await once(worker.process, 'exit');
  });
});

describe('a worker that is stopped', () => {
  it('ends its tasks first and leaves no process, its keeper neither', async () => {
    const { given, started, lives } = task(stubborn['a daemon in a session of its own']);
    const worker = startWorkerProcess([given], temporaryFolder(), { killGrace: 200 });
    await started();
    worker.process.kill('SIGTERM');
    await once(worker.process, 'exit');
    expect(worker.reports[0].outcome.state).toBe('lost');
    expect(lives()).toBe(false);
    await eventually(
      'the keeper is gone',
      () => !processIds().some((pid) => commandOf(pid).includes(worker.folder)),
    );
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
