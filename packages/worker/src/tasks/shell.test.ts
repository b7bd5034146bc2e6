import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { markOf } from '../guard/processes.ts';
import { eventually } from '../testing/eventually.ts';
import { assignment } from '../testing/scripted-master.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { own, shell, start } from '../testing/test-worker.ts';

describe('a shell task', () => {
  it('succeeds with exit code 0, and leaves its output between two lines of the worker', async () => {
    const { run } = await start();
    const { outcome, exitCode, cpuTime, log, logTail } = await run(shell('echo hello; echo oops >&2'));
    expect(outcome).toMatchObject({ state: 'success' });
    expect({ exitCode, logTail }).toEqual({ exitCode: 0, logTail: undefined });
    expect(cpuTime).toBeGreaterThanOrEqual(0);
    expect(log).toMatch(
      /^\[orrery\] \S+ run \d+, task load \(shell\), attempt 1, worker \S+\nhello\noops\n\[orrery\] \S+ success\n$/,
    );
  });

  it('fails with any other, with the end of its log', async () => {
    const { run } = await start();
    const { outcome, exitCode, logTail } = await run(shell('echo why; exit 7'));
    expect(outcome).toMatchObject({ state: 'failed', error: 'why (exit code 7)' });
    expect(exitCode).toBe(7);
    expect(logTail).toContain('why\n');
    expect((await run(shell('kill -SEGV $$'))).outcome.error).toBe('exit code 139 (ended by SIGSEGV)');
  });

  it('inherits no token and no setting of its worker', async () => {
    vi.stubEnv('ORRERY_TOKEN', 'secret');
    vi.stubEnv('ORRERY_JOIN_TOKEN', 'secret');
    vi.stubEnv('ORRERY_DATABASE', 'postgres://u:secret@h/d');
    const { run } = await start();
    vi.unstubAllEnvs();
    const { log } = await run(shell("env | grep '^ORRERY_'"));
    expect(log).toContain('ORRERY_GUARD=');
    expect(log).not.toMatch(/secret|ORRERY_TOKEN/);
  });

  it('inherits only what programs need, and what the operator names', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
    vi.stubEnv('DATABASE_URL', 'postgres://u:p@h/d');
    const few = await start();
    const { log } = await few.run(shell('env; echo "path: $PATH"'));
    expect(log).not.toMatch(/AWS_|DATABASE_URL/);
    expect(log).toMatch(/path: \//);
    const more = await start({ taskEnvironment: ['AWS_*'] });
    vi.unstubAllEnvs();
    const { log: named } = await more.run(shell('env'));
    expect(named).toContain('AWS_SECRET_ACCESS_KEY=key');
    expect(named).not.toContain('DATABASE_URL');
  });

  it('is told by its environment who it is', async () => {
    const { run } = await start({ environment: { PATH: '/usr/bin:/bin', FROM_WORKER: 'w' } });
    const { log, given } = await run(
      shell('env | sort; pwd', {
        attempt: { run: 900_001, task: 4, shard: 2, number: 3 },
        params: { day: '2026-01-01', 'a.b': 'x y' },
        environment: { STAGE: 'test', ORRERY_RUN: 'no' },
        shardCount: 5,
        shardParameter: 'beijing',
      }),
    );
    const variables = Object.fromEntries(own(log).map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(variables).toMatchObject({
      FROM_WORKER: 'w',
      STAGE: 'test',
      ORRERY_RUN: '900001',
      ORRERY_TASK: 'load',
      ORRERY_TASK_RUN: '900001.load',
      ORRERY_ATTEMPT: '3',
      ORRERY_SHARD: '2',
      ORRERY_SHARD_COUNT: '5',
      ORRERY_SHARD_PARAMETER: 'beijing',
      ORRERY_PARAM_DAY: '2026-01-01',
      ORRERY_PARAM_A_B: 'x y',
      ORRERY_ATTEMPT_TOKEN: '900001000003',
      ORRERY_GUARD: expect.stringMatching(/^[0-9a-f]{16}\/in-test-.*\/kill\/900001\.4s2\.3\/0$/),
    });
    expect(own(log).at(-1)).toBe(variables.ORRERY_WORK_DIR);
    expect(existsSync(variables.ORRERY_WORK_DIR)).toBe(false);
    expect(given.attempt.number).toBe(3);
  });

  it('leaves out what no environment can hold, and says so', async () => {
    const { run } = await start();
    const { outcome, log } = await run(
      shell('echo ran', { params: { big: 'x'.repeat(200_000), nul: 'a\0b' } }),
    );
    expect(outcome.state).toBe('success');
    expect(log).toMatch(/"ORRERY_PARAM_BIG" is not set: it is longer than/);
    expect(log).toMatch(/"ORRERY_PARAM_NUL" is not set: it contains a null character/);
  });

  it('may be long, run by another shell, and elsewhere', async () => {
    const codeFolder = temporaryFolder();
    mkdirSync(join(codeFolder, 'sub'));
    const { run } = await start({ codeFolder });
    const { log } = await run(shell(`${'# a long script\n'.repeat(20_000)}pwd`));
    expect(own(log)).toHaveLength(1);
    const bash = await run({
      type: 'shell',
      with: { script: 'pwd; echo $BASH_VERSION', shell: '/bin/bash', cwd: 'sub' },
    });
    expect(own(bash.log)).toEqual([join(codeFolder, 'sub'), expect.stringMatching(/^\d/)]);
    const lost = await run({ type: 'shell', with: { script: 'pwd', cwd: 'none' } });
    expect(lost.outcome.error).toMatch(/cannot start \/bin\/sh: the folder .*none does not exist/);
  });

  it('hands on what it prints and what it writes', async () => {
    const { run } = await start();
    const { outcome } = await run(shell('echo "#{setValue(a=1)}"; echo \'{"b":[1,2]}\' > $ORRERY_OUTPUT'));
    expect(outcome.outputs).toEqual({ a: '1', b: '[1,2]' });
    const bad = await run(shell('echo "{" > $ORRERY_OUTPUT'));
    expect(bad.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('not JSON') });
  });

  it('shows no secret, neither in its log nor in its error nor in its outputs', async () => {
    const { run } = await start();
    const script = 'printf "key=s3c"; sleep 0.1; echo r3t-value; exit 1';
    const { log, logTail } = await run(shell(script, { secrets: ['s3cr3t-value'] }));
    expect(own(log)).toEqual(['key=***']);
    expect(logTail).not.toContain('s3cr3t');
    const handed = await run(shell("echo '${setValue(a=x s3cr3t-value)}'", { secrets: ['s3cr3t-value'] }));
    expect(handed.outcome.outputs).toEqual({ a: 'x ***' });
    const failing = await run({ type: 'noop', with: { fails: 's3cr3t-value' }, secrets: ['fails'] });
    expect(failing.outcome.error).toMatch(/\*\*\*/);
  });

  it('may print anything: a lot of it, binary, without line ends', async () => {
    const { run } = await start({ logLimit: 50_000 });
    const before = process.memoryUsage().rss;
    const { outcome, log, peakMemory } = await run(shell('head -c 200000000 /dev/zero; printf end; exit 3'));
    expect(outcome.state).toBe('failed');
    expect(log.length).toBeLessThan(100_000);
    expect(log).toMatch(/\[orrery\] 1999\d+ bytes dropped; the last \d+ follow\n/);
    expect(log).toMatch(/end\n\[orrery\]/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(peakMemory ?? 0).toBeLessThan(100_000_000);
  });

  it('has its lines to itself', async () => {
    const { master, worker } = await start();
    const script = (word: string) => `for i in $(seq 200); do echo ${word} $i; done`;
    const given = ['red', 'green', 'blue'].map((word) => assignment(shell(script(word))));
    master.give(...given);
    await eventually('all reported', () => master.reports.length === 3);
    for (const [i, word] of ['red', 'green', 'blue'].entries()) {
      const { bytes } = await worker.logs.read('etl', given[i].attempt);
      expect(own(bytes.toString())).toEqual(Array.from({ length: 200 }, (_, n) => `${word} ${n + 1}`));
    }
  });
});

describe('ending an attempt early', () => {
  it('is reported only when nothing of it is left', async () => {
    const { master, tasks, worker } = await start();
    const daemon = `trap "" TERM; (setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &); while :; do sleep 1; done`;
    const killed = assignment(shell(`echo begun; ${daemon}`));
    const late = assignment(shell(daemon, { timeout: 600 }));
    const seen: Record<string, number> = {};
    const push = master.reports.push.bind(master.reports);
    master.reports.push = (...reports) => {
      for (const { attempt } of reports)
        seen[attempt.run] = tasks().filter((pid) => markOf(pid)?.includes(`/${attempt.run}.0.1/`)).length;
      return push(...reports);
    };
    master.give(killed, late);
    await eventually('begun', async () => {
      const { bytes } = await worker.logs.read('etl', killed.attempt);
      return bytes.includes('begun');
    });
    master.kill(killed.attempt);
    await eventually('both reported', () => master.reports.length === 2);
    expect(master.reportOf(killed.attempt)?.outcome.state).toBe('killed');
    expect(master.reportOf(late.attempt)?.outcome.state).toBe('timed-out');
    expect(seen).toEqual({ [killed.attempt.run]: 0, [late.attempt.run]: 0 });
  });

  it('lets the task clean up within the grace', async () => {
    const { killAt } = await start({ killGrace: 60_000 });
    const script = 'trap "echo cleaned up; exit 0" TERM; echo ready; sleep 1000 & wait';
    const { outcome, log } = await killAt('ready', shell(script));
    expect(outcome.state).toBe('killed');
    expect(own(log)).toEqual(['ready', 'cleaned up']);
  });
});
