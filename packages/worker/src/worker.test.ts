import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@orrery/wire/frames';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkerSettings } from './config.ts';
import { processIds, tokenOf } from './guard/processes.ts';
import { tokensOfName } from './guard/token.ts';
import { eventually } from './testing/eventually.ts';
import { hostClock } from './testing/host-clock.ts';
import { assignment, ScriptedMaster } from './testing/scripted-master.ts';
import { startWorker, type Worker } from './worker.ts';

const workers: Worker[] = [];
const newFolder = () => mkdtempSync(join(tmpdir(), 'orrery-worker-'));
let names = 0;

async function start(settings: Partial<WorkerSettings> = {}, epoch = 1) {
  const master = new ScriptedMaster();
  master.epoch = epoch;
  const logged: string[] = [];
  const name = `in-test-${process.pid}-${names++}`;
  const defaults = { name, masters: ['m1'], folder: newFolder(), slots: 10, killGrace: 300 };
  const worker = await startWorker(
    { ...defaults, ...settings },
    { clock: hostClock, connect: master.connect, log: (level, text) => logged.push(`${level}: ${text}`) },
  );
  workers.push(worker);
  const tasks = () =>
    processIds().filter((pid) => tokenOf(pid)?.startsWith(tokensOfName(worker.config.name)));
  /** Runs one attempt to its end. */
  const run = async (changes: Partial<Assignment>) => {
    const given = assignment(changes);
    master.give(given);
    const report = await eventually('reported', () => master.reportOf(given.attempt));
    const { bytes } = await worker.logs.read(given.workflow, given.attempt);
    return { ...report, given, log: bytes.toString() };
  };
  return { worker, master, run, tasks, logged, folder: worker.config.folder };
}

const shell = (script: string, changes: Partial<Assignment> = {}): Partial<Assignment> => ({
  type: 'shell',
  with: { script },
  ...changes,
});

/** The lines of a log that are the task's own. */
const own = (log: string) => log.split('\n').filter((line) => line !== '' && !line.startsWith('[orrery]'));

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ grace: 0 })));
});

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
    expect(outcome).toMatchObject({ state: 'failed', error: 'exit code 7' });
    expect(exitCode).toBe(7);
    expect(logTail).toContain('why\n');
    expect((await run(shell('kill -SEGV $$'))).outcome.error).toBe('exit code 139 (ended by SIGSEGV)');
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
      ORRERY_TASK_RUN: '900001.4',
      ORRERY_ATTEMPT: '3',
      ORRERY_SHARD: '2',
      ORRERY_SHARD_COUNT: '5',
      ORRERY_SHARD_PARAMETER: 'beijing',
      ORRERY_PARAM_DAY: '2026-01-01',
      ORRERY_PARAM_A_B: 'x y',
      ORRERY_TOKEN: expect.stringMatching(/^in-test-.*\/kill\/900001\.4s2\.3\/0$/),
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
    const codeFolder = newFolder();
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

  it('shows no secret, neither in its log nor in its error', async () => {
    const { run } = await start();
    const script = 'printf "key=s3c"; sleep 0.1; echo r3t-value; exit 1';
    const { log, logTail } = await run(shell(script, { secrets: ['s3cr3t-value'] }));
    expect(own(log)).toEqual(['key=***']);
    expect(logTail).not.toContain('s3cr3t');
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
    master.give(killed, late);
    await eventually('begun', async () => {
      const { bytes } = await worker.logs.read('etl', killed.attempt);
      return bytes.includes('begun');
    });
    master.kill(killed.attempt);
    const seen: Record<string, number> = {};
    const push = master.reports.push.bind(master.reports);
    master.reports.push = (...reports) => {
      for (const { attempt } of reports)
        seen[attempt.run] = tasks().filter((pid) => tokenOf(pid)?.includes(`/${attempt.run}.0.1/`)).length;
      return push(...reports);
    };
    await eventually('both reported', () => master.reports.length === 2);
    expect(master.reportOf(killed.attempt)?.outcome.state).toBe('killed');
    expect(master.reportOf(late.attempt)?.outcome.state).toBe('timed-out');
    expect(seen).toEqual({ [killed.attempt.run]: 0, [late.attempt.run]: 0 });
  });

  it('lets the task clean up within the grace', async () => {
    const { master, worker } = await start({ killGrace: 60_000 });
    const given = assignment(
      shell('trap "echo cleaned up; exit 0" TERM; echo ready; sleep 1000 & wait', { timeout: 500 }),
    );
    master.give(given);
    const report = await eventually('reported', () => master.reportOf(given.attempt));
    expect(report.outcome.state).toBe('timed-out');
    const { bytes } = await worker.logs.read('etl', given.attempt);
    expect(own(bytes.toString())).toEqual(['ready', 'cleaned up']);
  });
});

describe('a node task', () => {
  const codeFolder = newFolder();
  writeFileSync(
    join(codeFolder, 'tasks.ts'),
    `export default async ({ args, params, attempt, shard, output }: any) => {
       console.log('args', JSON.stringify(args), params.day, attempt.number, shard?.index);
       output('sum', args.a + args.b);
       setInterval(() => {}, 1000);
     };
     export function broken() { throw new Error('it broke'); }
     export function hopeless() { throw Object.assign(new Error('no use'), { fatal: true }); }
     export async function patient({ signal }: any) {
       console.log('waiting');
       const timer = setInterval(() => {}, 1000);
       await new Promise((resolve) => signal.addEventListener('abort', resolve));
       console.log('aborted');
     }
     export async function stuck() { await new Promise(() => {}); }`,
  );
  symlinkSync('/etc/hostname', join(codeFolder, 'link.ts'));
  const node = (settings: object, changes: Partial<Assignment> = {}) => ({
    type: 'node',
    with: settings,
    ...changes,
  });

  it('calls an exported function of the code folder and records the hash of its module', async () => {
    const { run } = await start({ codeFolder });
    const { outcome, log } = await run(
      node({ module: 'tasks.ts', args: { a: 1, b: 2 } }, { params: { day: 'mon' } }),
    );
    expect(outcome).toMatchObject({ state: 'success', outputs: { sum: '3' } });
    expect(own(log)).toEqual(['args {"a":1,"b":2} mon 1 undefined']);
    expect(log).toMatch(/\[orrery\] module tasks\.ts, sha256 [0-9a-f]{64}\n/);
  });

  it('fails with what the function throws', async () => {
    const { run } = await start({ codeFolder });
    const broken = await run(node({ module: './tasks.ts', export: 'broken' }));
    expect(broken.outcome).toMatchObject({ state: 'failed', error: 'it broke', fatal: undefined });
    expect(broken.logTail).toMatch(/at broken/);
    const hopeless = await run(node({ module: 'tasks.ts', export: 'hopeless' }));
    expect(hopeless.outcome).toMatchObject({ error: 'no use', fatal: true });
    const stuck = await run(node({ module: 'tasks.ts', export: 'stuck' }));
    expect(stuck.outcome.error).toMatch(/waits for something that nothing is left to bring about/);
    const missing = await run(node({ module: 'tasks.ts', export: 'none' }));
    expect(missing.outcome).toMatchObject({ error: 'the module exports no function "none"', fatal: true });
  });

  it('hears by its signal that it is to end', async () => {
    const { run } = await start({ codeFolder, killGrace: 30_000 });
    const { outcome, log } = await run(node({ module: 'tasks.ts', export: 'patient' }, { timeout: 1_500 }));
    expect(outcome.state).toBe('timed-out');
    expect(own(log)).toEqual(['waiting', 'aborted']);
  });

  it('finds modules in the code folder only, and takes code as text in development only', async () => {
    const { run } = await start({ codeFolder });
    const refused = [
      [{ module: 'none.ts' }, /does not exist in the worker's code folder/],
      [{ module: '../x.ts' }, /lies outside of the worker's code folder/],
      [{ module: 'link.ts' }, /lies outside of the worker's code folder/],
      [{ code: '() => {}' }, /development mode only/],
      [{}, /give one of "module" and "code"/],
    ] as const;
    for (const [settings, message] of refused) {
      const { outcome } = await run(node(settings));
      expect(outcome).toMatchObject({ state: 'failed', fatal: true, error: expect.stringMatching(message) });
    }
    const dev = await start({ codeFolder, dev: true });
    const { outcome } = await dev.run(
      node({ code: '({ args, output }: any) => output("x", args)', args: [1] }),
    );
    expect(outcome.outputs).toEqual({ x: '[1]' });
  });
});

describe('a no-op task', () => {
  it('waits, hands on and fails as told, without a process or a file', async () => {
    const { run, folder, tasks } = await start();
    expect((await run({ with: { outputs: { a: 1, b: ['x'] } } })).outcome.outputs).toEqual({
      a: '1',
      b: '["x"]',
    });
    expect((await run({ with: { fail: true } })).outcome).toMatchObject({
      state: 'failed',
      error: 'told to fail',
    });
    expect((await run({ with: { sleep: 100_000 }, timeout: 50 })).outcome.state).toBe('timed-out');
    expect(tasks()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['spool']);
  });
});

describe('task types', () => {
  const examples = join(import.meta.dirname, '../../../examples/plugins');

  it('come from plugins in folders as well', async () => {
    const file = join(newFolder(), 'lines.txt');
    writeFileSync(file, 'red apple\ngreen apple\nred pear\n');
    const { run, worker } = await start({ plugins: [join(examples, 'count-lines')] });
    expect(worker.taskTypes.map(({ name }) => name)).toEqual(['shell', 'node', 'noop', 'count-lines']);
    expect(worker.taskTypes[3]).toMatchObject({
      title: 'Count lines',
      schema: {
        type: 'object',
        required: ['file'],
        properties: { containing: { type: 'string', default: '' } },
      },
    });
    const counted = await run({ type: 'count-lines', with: { file, containing: 'red' } });
    expect(counted.outcome).toMatchObject({ state: 'success', outputs: { lines: '2' } });
    expect(own(counted.log)).toEqual(['2 of 3 lines']);
    const shard = { run: 900_100, task: 0, shard: 1, number: 1 };
    const part = await run({ type: 'count-lines', with: { file }, attempt: shard, shardCount: 2 });
    expect(part.outcome.outputs).toEqual({ lines: '1' });
    const few = await run({ type: 'count-lines', with: { file, atLeast: 9 } });
    expect(few.outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: 'only 3 lines, at least 9 were expected',
    });
    const missing = await run({ type: 'count-lines', with: { file: `${file}x` } });
    expect(missing.outcome).toMatchObject({ state: 'failed', fatal: undefined });
  });

  it('that are unknown fail an attempt for good, with those there are', async () => {
    const { run } = await start();
    expect((await run({ type: 'sparkle' })).outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: 'unknown task type "sparkle"; this worker has: shell, node, noop',
    });
  });

  it('refuse wrong settings for good, with what is wrong and where', async () => {
    const { run } = await start();
    const { outcome } = await run({ type: 'shell', with: { script: 5, colour: 'red' } });
    expect(outcome).toMatchObject({ state: 'failed', fatal: true });
    expect(outcome.error).toMatch(/with\.script: .*expected string.*; with: Unrecognized key: "colour"/);
  });
});

describe('a restart', () => {
  it('sends what was not acknowledged before, under its own epoch', async () => {
    const folder = newFolder();
    const first = await start({ folder }, 7);
    first.master.manners.acknowledges = false;
    const given = assignment({ with: { outputs: { a: 1 } } });
    first.master.give(given);
    await eventually('reported', () => first.master.reportOf(given.attempt));
    first.master.manners.hello = undefined;
    first.master.cut();
    await first.worker.stop({ grace: 0 });
    const second = await start({ folder });
    const [frame] = await eventually('sent again', () => {
      const frames = second.master.said('report');
      return frames.length > 0 && frames;
    });
    expect(frame).toMatchObject({
      epoch: 7,
      reports: [{ attempt: given.attempt, outcome: { outputs: { a: '1' } } }],
    });
    await eventually('forgotten', () => second.worker.status().unacknowledged === 0);
    expect(readFileSync(join(folder, 'spool/reports.jsonl'), 'utf8')).toBe('');
  });
});

describe('settings', () => {
  it.each([
    [{ name: '' }, /worker name: a worker needs a name/],
    [{ masters: [] }, /worker masters: give the address/],
    [{ slots: 0 }, /worker slots: 0 is not a whole number above 0/],
    [{ killGrace: -1 }, /worker killGrace: -1 is not a number/],
    [{ plugins: ['no-such-package'] }, /plugin no-such-package: not found from/],
  ])('that cannot work are refused: %o', async (settings, message) => {
    await expect(start(settings)).rejects.toThrow(message);
  });
});
