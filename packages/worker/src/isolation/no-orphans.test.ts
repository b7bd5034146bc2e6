import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupsFolder } from '../guard/leftovers.ts';
import { processIds, statOf } from '../guard/processes.ts';
import { eventually } from '../testing/eventually.ts';
import { assignment } from '../testing/scripted-master.ts';
import { startWorkerProcess } from '../testing/start-worker-process.ts';
import { stubborn } from '../testing/stubborn-tasks.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { DOOMED_TENANT, isolated, isRoot, TENANT } from '../testing/tenants.ts';
import { recordedTags, tagsOf } from './tag.ts';

const root = temporaryFolder();
chmodSync(root, 0o777);
let files = 0;

/** A task of a tenant that leaves a file when the process runs that must not survive. */
function task(script: (mark: string) => string, tenant: string) {
  const file = join(root, `started${files++}`);
  const given = assignment({ type: 'shell', tenant, with: { script: script(`echo > ${file}`) } });
  return { given, started: () => eventually('the task has started', () => existsSync(file)) };
}

/** What a task of a tenant can do that one of the worker's user is not held from. */
const scripts: typeof stubborn = {
  ...stubborn,
  'a daemon without its environment': (mark) =>
    `setsid env -i /bin/sh -c '${mark}; trap "" TERM HUP; while :; do sleep 1; done' & sleep 1000`,
  'a daemon with the mark of another attempt': (mark) =>
    `ORRERY_GUARD=x setsid /bin/sh -c '${mark}; while :; do sleep 1; done' & sleep 1000`,
  'one that kills everything it may': (mark) => `${mark}; kill -9 -1; kill -9 0; while :; do sleep 1; done`,
};

/** Those of these tags that a live process has. */
function tagsAlive(tags: readonly number[]): Set<number> {
  const live = processIds().filter((pid) => statOf(pid)?.zombie === false);
  return new Set(live.flatMap(tagsOf).filter((tag) => tags.includes(tag)));
}

describe.each(['user', 'namespaces'] as const)(
  'with isolation "%s" (as root; else it is refused)',
  (mode) => {
    const begin = async (chosen: readonly ((mark: string) => string)[], options = {}, tenant = TENANT) => {
      const tasks = chosen.map((script) => task(script, tenant));
      const given = tasks.map((one) => one.given);
      const worker = startWorkerProcess(given, temporaryFolder(), { ...isolated(mode), ...options });
      if (!isRoot) {
        await eventually('all are handed back', () => worker.reports.length === tasks.length);
        for (const { outcome } of worker.reports)
          expect(outcome).toMatchObject({ state: 'withdrawn', error: expect.stringContaining(mode) });
        worker.process.kill('SIGKILL');
        await once(worker.process, 'exit');
        return undefined;
      }
      for (const { started } of tasks) await started();
      const tags = recordedTags(groupsFolder(worker.folder)).map(({ tag }) => tag);
      return { worker, live: () => tagsAlive(tags) };
    };
    const mortal = Object.entries(scripts).flatMap(([name, script]) => (/kills/.test(name) ? [] : [script]));

    it('no task survives when its worker is killed by SIGKILL', async () => {
      const begun = await begin(mortal);
      if (!begun) return;
      expect(begun.live().size).toBe(mortal.length);
      begun.worker.process.kill('SIGKILL');
      await eventually('nothing is left', () => begun.live().size === 0 && begun.worker.tasks().length === 0);
      const records = () => recordedTags(groupsFolder(begun.worker.folder));
      await eventually('no record is left', () => records().length === 0);
    });

    it('no task survives the lease of a worker that is frozen', async () => {
      const begun = await begin(mortal, { lease: 3_000 });
      if (!begun) return;
      begun.worker.process.kill('SIGSTOP');
      await eventually('nothing is left', () => begun.live().size === 0);
      begun.worker.process.kill('SIGKILL');
      await once(begun.worker.process, 'exit');
    });

    it('a task cannot end its guard, nor anything of its worker', async () => {
      const begun = await begin([(mark) => `kill -9 $PPID || { ${mark}; exec sleep 1000; }`]);
      if (!begun) return;
      expect(begun.live().size).toBe(1);
      expect(begun.worker.reports).toEqual([]);
      begun.worker.process.kill('SIGTERM');
      await once(begun.worker.process, 'exit');
      expect(begun.worker.reports[0].outcome.state).toBe('lost');
      expect(begun.live().size).toBe(0);
    });

    it('a task that kills all it may kill ends itself alone, and fails', async () => {
      const begun = await begin([scripts['one that kills everything it may']], {}, DOOMED_TENANT);
      if (!begun) return;
      const report = await eventually('reported', () => begun.worker.reports[0]);
      expect(report.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('SIGKILL') });
      begun.worker.process.kill('SIGTERM');
      await once(begun.worker.process, 'exit');
    });
  },
);
