/** `container` tasks with a real podman and an image made of one program. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { own } from '@orrery/worker/testing/test-worker';
import { expect, it, onTestFinished } from 'vitest';
import { processPlugins } from '../testing/process-plugins.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

const PATIENCE = 120_000;

/** A podman whose images and containers are in a folder of their own, with one image. */
function startPodman() {
  const folder = temporaryFolder();
  const root = join(folder, 'root');
  mkdirSync(join(root, 'bin'), { recursive: true });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  for (const name of ['sh', 'sleep', 'cat']) symlinkSync('busybox', join(root, 'bin', name));
  writeFileSync(
    join(folder, 'containers.conf'),
    `[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n`,
  );
  writeFileSync(
    join(folder, 'storage.conf'),
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  const environment = {
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  };
  const podman = (...args: string[]) =>
    execFileSync('podman', args, {
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  execFileSync('tar', ['-C', root, '-cf', join(folder, 'root.tar'), '.']);
  podman('import', join(folder, 'root.tar'), 'small:1');
  onTestFinished(() => {
    podman('rm', '-fa');
    podman('rmi', '-fa');
  });
  const task = (script: string, more: object = {}) => ({
    type: 'container',
    with: { image: 'small:1', command: ['/bin/sh', '-c', script], network: 'none', pull: 'never', ...more },
    environment,
  });
  return { task, left: () => podman('ps', '-aq').split('\n').filter(Boolean) };
}

/** Processes of this machine, those in containers too, that sleep for this long. */
const sleepers = (seconds: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(seconds);
    } catch {
      return false;
    }
  });
const mark = () => `6${process.pid}${Math.floor(performance.now())}`;

it('runs an image: values, variables, mounts, exit code', { timeout: 5 * PATIENCE }, async () => {
  const { task, left } = startPodman();
  const { run, codeFolder } = await startTaskWorker();
  mkdirSync(join(codeFolder, 'in'));
  writeFileSync(join(codeFolder, 'in/a.txt'), 'from the worker');
  const script =
    'echo "$WORD"; cat /in/a.txt; echo; echo "#{setValue(rows=7)}"; echo x > /in/b || echo "read only"';
  const good = await run(
    {
      ...task(script, { env: { WORD: 'hush-hush' }, mounts: [{ source: 'in', path: '/in' }] }),
      secrets: ['hush-hush'],
    },
    PATIENCE,
  );
  expect(good.outcome).toMatchObject({ state: 'success', outputs: { rows: '7' } });
  expect(own(good.log)).toEqual(expect.arrayContaining(['***', 'from the worker', 'read only']));
  const bad = await run(task('echo "ERROR no such day"; exit 3'), PATIENCE);
  expect(bad.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('no such day') });
  const missing = await run(task('true', { image: 'nowhere:1' }), PATIENCE);
  expect(missing.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('nowhere:1') });
  expect(left()).toEqual([]);
});

it('is killed with everything in it, also what ignores TERM', { timeout: 5 * PATIENCE }, async () => {
  const { task, left } = startPodman();
  const { killAt, tasks } = await startTaskWorker({ killGrace: 2_000 });
  const word = mark();
  const { outcome } = await killAt('begun', task(`trap '' TERM; echo begun; sleep ${word}`), PATIENCE);
  expect(outcome.state).toBe('killed');
  expect([left(), tasks(), sleepers(word)]).toEqual([[], [], []]);
});

it('ends with its worker', { timeout: 5 * PATIENCE }, async () => {
  const { task } = startPodman();
  const word = mark();
  const worker = startWorkerProcess([assignment(task(`sleep ${word}`))], temporaryFolder(), {
    bundledIn: processPlugins,
  });
  await eventually('it runs', () => sleepers(word).length > 0, PATIENCE);
  worker.process.kill('SIGKILL');
  await eventually('nothing is left', () => sleepers(word).length === 0 && worker.tasks().length === 0);
});
