import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { hostClock } from '../testing/host-clock.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { marksOfLife, marksOfWorker } from './guard-mark.ts';
import { type GuardRoom, startGuarded } from './guarded-process.ts';
import { Keeper } from './keeper.ts';
import { killAll } from './leftovers.ts';
import { OutputPipes, pipesFolder } from './output-pipe.ts';
import { ProcessScan } from './process-scan.ts';
import { markOf, processIds, statOf } from './processes.ts';
import { UsageMeter } from './usage.ts';

const root = temporaryFolder();
const groups = join(root, 'groups');
const marks = marksOfLife(marksOfWorker('guard-test', root), '1');
const scan = new ProcessScan();
const keeper = new Keeper(marks, groups, hostClock, () => {});
keeper.extend(600_000);
const pipes = new OutputPipes(pipesFolder(root));
const meter = new UsageMeter(scan, hostClock);
const room: GuardRoom = { clock: hostClock, scan, keeper, meter, pipes, groups };
const environment = { PATH: process.env.PATH ?? '' };
let count = 0;

async function start(script: string) {
  const mark = `${marks}kill/${count++}.0.1/0`;
  const args = ['-c', script];
  const guarded = await startGuarded(room, { command: '/bin/sh', args, cwd: root, environment, mark });
  return { mark, guarded, output: text(guarded.output) };
}

const alive = (mark: string) => processIds().filter((pid) => markOf(pid) === mark);
const file = (name: string) => join(root, name);

afterAll(() => keeper.close());

afterEach(async () => {
  expect(await killAll(groups, `${marks}kill/`)).toBe(0);
});

describe('a guarded process', () => {
  it('gives its exit code and its output, both streams in the order written', async () => {
    const { guarded, output } = await start('echo one; echo two >&2; echo three; exit 3');
    expect(await output).toBe('one\ntwo\nthree\n');
    expect(await guarded.gone).toMatchObject({ exitCode: 3 });
  });

  it('lets a script write to its streams by name, as on a terminal', async () => {
    const { guarded, output } = await start(
      'echo one >/dev/stdout; echo two >/dev/stderr; echo three | tee /dev/stderr >/dev/null; echo four >>/proc/self/fd/1',
    );
    expect(await output).toBe('one\ntwo\nthree\nfour\n');
    expect(await guarded.gone).toMatchObject({ exitCode: 0 });
  });

  it('waits for a worker that reads slowly, and keeps all it wrote', async () => {
    const { guarded, output } = await start(
      'i=0; while [ $i -lt 20000 ]; do echo "line $i of many"; i=$((i+1)); done',
    );
    const lines = (await output).split('\n');
    expect([lines.length, lines[0], lines.at(-2)]).toEqual([20_001, 'line 0 of many', 'line 19999 of many']);
    expect(await guarded.gone).toMatchObject({ exitCode: 0 });
  });

  it('leaves no name of its pipe behind, nor the worker an open end of it', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const first = await start('true');
    await Promise.all([first.output, first.guarded.gone]);
    const before = open();
    for (let i = 0; i < 20; i++) {
      const { guarded, output } = await start('ls -l /proc/self/fd/1');
      expect(await output).toMatch(/output-\d+ \(deleted\)/);
      await guarded.gone;
    }
    expect(open()).toBeLessThanOrEqual(before + 1);
  });

  it('has its output read where no pipe can be made', async () => {
    writeFileSync(file('no-folder'), '');
    const broken = { ...room, pipes: new OutputPipes(file('no-folder')) };
    const mark = `${marks}kill/${count++}.0.1/0`;
    const guarded = await startGuarded(broken, {
      ...{ command: '/bin/sh', args: ['-c', 'echo hello'], cwd: root, environment, mark },
    });
    expect(await text(guarded.output)).toBe('hello\n');
    expect(await guarded.gone).toMatchObject({ exitCode: 0 });
  });

  it('counts the processor time of short tasks and the memory of longer ones', async () => {
    const { guarded } = await start('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 1');
    guarded.output.resume();
    const { cpuTime, peakMemory } = await guarded.gone;
    expect(cpuTime).toBeGreaterThan(20);
    expect(peakMemory).toBeGreaterThan(500_000);
  });

  it('takes with it what it left in the background', async () => {
    const { guarded, output, mark } = await start('sleep 1000 & setsid sleep 1000 & echo done');
    expect(await guarded.gone).toMatchObject({ exitCode: 0 });
    expect(await output).toBe('done\n');
    expect(alive(mark)).toEqual([]);
  });

  it('gets its signals as usual: a task may handle SIGTERM and SIGINT', async () => {
    const { guarded, output, mark } = await start(
      'trap "echo int" INT; kill -INT $$; echo go; trap "echo bye; exit 9" TERM; sleep 1000 & wait',
    );
    await eventually('started', () => alive(mark).length > 3);
    await guarded.stop(60_000);
    expect(await guarded.gone).toMatchObject({ exitCode: 9 });
    expect(await output).toBe('int\ngo\nbye\n');
  });

  it('is killed after the grace when it ignores SIGTERM, with everything it started', async () => {
    const { guarded, mark } = await start(
      `trap '' TERM; (setsid sh -c 'trap "" TERM; echo $$ > ${file('daemon')}; sleep 1000' &) ; sleep 1000`,
    );
    guarded.output.resume();
    await eventually(
      'daemon started',
      () => existsSync(file('daemon')) && readFileSync(file('daemon'), 'utf8'),
    );
    await guarded.stop(100);
    expect(alive(mark)).toEqual([]);
    expect(statOf(Number(readFileSync(file('daemon'), 'utf8')))?.zombie ?? true).toBe(true);
    expect((await guarded.gone).exitCode).toBeUndefined();
  });

  it('ends when it kills its guard', async () => {
    const { guarded, mark } = await start('kill -9 $PPID; sleep 1000');
    guarded.output.resume();
    expect((await guarded.gone).exitCode).toBeUndefined();
    expect(alive(mark)).toEqual([]);
  });

  it('ends when it stops its guard and is stopped', async () => {
    const { guarded, mark } = await start('kill -STOP $PPID; kill -STOP $$; sleep 1000');
    guarded.output.resume();
    await eventually('its guard stands still', () => alive(mark).length > 2);
    await guarded.stop(300);
    expect(alive(mark)).toEqual([]);
  });

  it('is not waited for when a process without mark and group holds its output', async () => {
    const { guarded, output } = await start(
      `echo out; env -i setsid sh -c 'echo $$ > ${file('escaped')}; sleep 1000' & while [ ! -s ${file('escaped')} ]; do sleep 0.01; done`,
    );
    output.catch(() => {});
    expect(await guarded.gone).toMatchObject({ exitCode: 0 });
    const escaped = Number(readFileSync(file('escaped'), 'utf8'));
    expect(statOf(escaped)).toBeDefined();
    process.kill(-escaped, 'SIGKILL');
  });

  it('says why it cannot start', async () => {
    const bad = { command: 'x', args: [], environment, mark: `${marks}kill/900.0.1/0` };
    await expect(startGuarded(room, { ...bad, cwd: '/no/such' })).rejects.toThrow(
      /folder \/no\/such does not exist/,
    );
    await expect(startGuarded(room, { ...bad, cwd: root, args: ['x'.repeat(3_000_000)] })).rejects.toThrow(
      /E2BIG/,
    );
  });

  it('that does not exist exits with 127 and says so in its output', async () => {
    const mark = `${marks}kill/901.0.1/0`;
    const guarded = await startGuarded(room, {
      command: '/no/such',
      args: [],
      cwd: root,
      environment,
      mark,
    });
    const output = text(guarded.output);
    expect(await guarded.gone).toMatchObject({ exitCode: 127 });
    expect(await output).toMatch(/not found/);
  });

  it('leaves no record once it is gone', async () => {
    const { guarded } = await start('exit 0');
    guarded.output.resume();
    await guarded.gone;
    expect(readdirSync(groups)).toEqual([]);
  });
});
