/** `python` tasks on a real worker, with the Python of this machine. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { isolated, isRoot, OTHER_TENANT, TENANT } from '@orrery/worker/testing/tenants';
import { own } from '@orrery/worker/testing/test-worker';
import { describe, expect, it } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';
import { writeWheel } from '../testing/wheel.ts';

/** Making an environment takes its time on a busy machine. */
const PATIENCE = 120_000;
const LONG = { timeout: 4 * PATIENCE };

const python = (code: string, more: object = {}) => ({ type: 'python', with: { code, ...more } });

describe('a python task', () => {
  it('reads its parameters from a file and hands values on by one', async () => {
    const { run } = await startTaskWorker();
    const { outcome, log } = await run({
      ...python(
        [
          'import json, os, sys',
          'params = json.load(open(os.environ["ORRERY_PARAMS"]))',
          'print("day", params["day"], sys.argv[1:], "${day}")',
          'json.dump({"rows": 3, "names": ["a", "b"]}, open(os.environ["ORRERY_OUTPUT"], "w"))',
        ].join('\n'),
        { args: ['x', 5] },
      ),
      params: { day: `2026-11-18"); import os` },
    });
    expect(own(log)).toEqual([`day 2026-11-18"); import os ['x', '5'] \${day}`]);
    expect(outcome).toMatchObject({ state: 'success', outputs: { rows: '3', names: '["a","b"]' } });
  });

  it('runs a file of the code folder, and fails with the last line of the traceback', async () => {
    const { run, codeFolder } = await startTaskWorker();
    mkdirSync(join(codeFolder, 'jobs'));
    writeFileSync(
      join(codeFolder, 'jobs/load.py'),
      'def load():\n  raise ValueError("no rows today")\nload()\n',
    );
    const failed = await run({ type: 'python', with: { file: 'jobs/load.py' } });
    expect(failed.outcome).toMatchObject({ error: 'ValueError: no rows today (exit code 1)' });
    const missing = await run({ type: 'python', with: { file: 'jobs/none.py' } });
    expect(missing.outcome).toMatchObject({ fatal: true, error: expect.stringContaining('does not exist') });
    const both = await run({ type: 'python', with: { file: 'a.py', code: 'pass' } });
    expect(both.outcome).toMatchObject({ fatal: true, error: 'with: give either code or file' });
    const other = await run(python('pass', { interpreter: '/nowhere/python' }));
    expect(other.outcome).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('/nowhere/python'),
    });
  });

  it('installs its requirements once, from a folder without any network', LONG, async () => {
    const { run, codeFolder } = await startTaskWorker();
    const index = join(codeFolder, 'wheels');
    writeWheel(index, 'greeting', '1.2.0', 'def greet(name):\n    return f"hello, {name}"\n');
    const needs = { requirements: ['greeting==1.2.0'], index };
    const task = python('import greeting\nprint(greeting.greet("Ada"))', needs);
    const [first, second] = await Promise.all([run(task, PATIENCE), run(task, PATIENCE)]);
    const third = await run(task, PATIENCE);
    for (const { log } of [first, second, third]) expect(own(log)).toContain('hello, Ada');
    const making = [first, second, third].filter(({ log }) => log.includes('making a virtual environment'));
    expect(making).toHaveLength(1);
    const kept = readdirSync(join(codeFolder, 'cache/python')).sort();
    expect(kept).toEqual([kept[0], `${kept[0]}.complete`]);
    const unknown = await run(python('pass', { requirements: ['no-such-thing'], index }), PATIENCE);
    expect(unknown.outcome).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/No matching distribution found for no-such-thing/),
    });
    for (const given of ['--index-url=http://evil', 'greeting\n--index-url=http://evil', 'greeting\r-e .']) {
      const option = await run(python('pass', { requirements: [given], index }));
      expect(option.outcome).toMatchObject({ fatal: true, error: expect.stringContaining('options of pip') });
    }
  });

  it(
    'has environments of its tenant alone where tasks run as their tenants (as root; else it is refused)',
    LONG,
    async () => {
      const index = temporaryFolder();
      writeWheel(index, 'greeting', '1.2.0', 'def greet():\n    return "hello"\n');
      chmodSync(index, 0o755);
      const { run, worker } = await startTaskWorker(isolated('user'));
      const code = [
        'import greeting, os, sys, pwd, glob',
        'owner = pwd.getpwuid(os.stat(sys.prefix).st_uid).pw_name',
        'print(greeting.greet(), owner, pwd.getpwuid(os.getuid()).pw_name)',
        'try: open(sys.prefix + ".complete", "a")',
        'except PermissionError: print("closed")',
        'print(sys.prefix)',
      ].join('\n');
      const task = python(code, { requirements: ['greeting==1.2.0'], index });
      const first = await run({ ...task, tenant: TENANT }, PATIENCE);
      if (!isRoot) return expect(first.outcome).toMatchObject({ state: 'withdrawn' });
      const second = await run({ ...task, tenant: TENANT }, PATIENCE);
      const other = await run({ ...task, tenant: OTHER_TENANT, project: 'shop' }, PATIENCE);
      expect(own(first.log).slice(0, 2)).toEqual([`hello ${TENANT} ${TENANT}`, 'closed']);
      expect(own(other.log).slice(0, 2)).toEqual([`hello ${OTHER_TENANT} ${OTHER_TENANT}`, 'closed']);
      const making = [first, second, other].map(({ log }) => log.includes('making a virtual environment'));
      expect(making).toEqual([true, false, true]);
      const of = own(other.log)[2];
      const spy = await run({ type: 'shell', with: { script: `ls ${of} || ls ${of}/..` }, tenant: TENANT });
      expect(spy.outcome.state).toBe('failed');
      expect(readdirSync(worker.config.work).filter((name) => name !== '.health')).toEqual(['.kept']);
    },
  );

  it('hides its secrets in log, outputs and errors', async () => {
    const { run } = await startTaskWorker();
    const code = 'print("word hush-hush")\nraise ValueError("hush-hush")';
    const failed = await run({ ...python(code), secrets: ['hush-hush'] });
    expect(failed.outcome).toMatchObject({ state: 'failed', error: 'ValueError: *** (exit code 1)' });
    expect(failed.log).not.toContain('hush-hush');
    const good = await run({ ...python('print("#{setValue(word=hush-hush)}")'), secrets: ['hush-hush'] });
    expect(good.outcome.outputs).toEqual({ word: '***' });
  });

  it('is ended with everything it started', async () => {
    const { killAt, tasks } = await startTaskWorker();
    const code =
      'import subprocess\nsubprocess.Popen(["sleep", "600"])\nprint("started")\nimport time\ntime.sleep(600)';
    const { outcome } = await killAt('started', python(code));
    expect(outcome).toMatchObject({ state: 'killed' });
    expect(tasks()).toEqual([]);
  });
});
