/** Applications on YARN, with programs in the place of `yarn` and `spark-submit` that keep them in a folder. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { describe, expect, it } from 'vitest';
import { processPlugins } from '../testing/process-plugins.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

/** As `yarn application` answers: tab-separated, after lines about something else. */
const YARN = `#!/bin/sh
cd "$(dirname "$0")/apps"
case "$2" in
  -list)
    echo "INFO client.RMProxy: Connecting to ResourceManager"
    echo "Total number of applications (application-types: [], states: [ALL] and tags: [$4]):1"
    echo "                Application-Id	    Application-Name	    Application-Type	      User	     Queue	             State	       Final-State	       Progress	                       Tracking-URL"
    for app in *; do
      [ -f "$app" ] || continue
      read tag state final < "$app"
      [ "$tag" = "$4" ] && printf '%s\\t daily\\t SPARK\\t etl\\t default\\t %s\\t %s\\t 10%%\\t N/A\\n' "$app" "$state" "$final"
    done;;
  -kill)
    read tag state final < "$3"
    echo "$tag KILLED KILLED" > ../killed && mv ../killed "$3";;
esac
exit 0
`;
/** Submits to YARN in cluster mode, and lasts as long as the application; that goes on when it is killed. */
const SUBMIT = `#!/bin/sh
apps="$(dirname "$0")/apps"
for arg in "$@"; do case "$arg" in spark.yarn.tags=*) tag="\${arg#spark.yarn.tags=}";; esac; done
app="$apps/application_1_$(ls "$apps" | wc -l)"
echo "$tag RUNNING UNDEFINED" > "$apps/../begun" && mv "$apps/../begun" "$app"
echo "submitted"
while read t state final < "$app" && [ "$state" = RUNNING ]; do sleep 0.05; done
[ "$final" = SUCCEEDED ]
`;

function cluster() {
  const folder = temporaryFolder();
  for (const [name, text] of [
    ['yarn', YARN],
    ['spark-submit', SUBMIT],
  ]) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const apps = join(folder, 'apps');
  mkdirSync(apps);
  writeFileSync(join(folder, 'app.py'), '');
  return {
    apps,
    task: {
      type: 'spark',
      with: {
        program: join(folder, 'spark-submit'),
        yarn: join(folder, 'yarn'),
        master: 'yarn',
        deployMode: 'cluster',
        file: 'app.py',
      },
    },
    all: () => readdirSync(apps).map((app) => readFileSync(join(apps, app), 'utf8').trim()),
    /** An application of this tag comes to its end. */
    finish(final: string) {
      for (const app of readdirSync(apps)) {
        const [tag] = readFileSync(join(apps, app), 'utf8').split(' ');
        // Whole at once: the programs read it meanwhile.
        writeFileSync(
          join(folder, 'next'),
          `${tag} ${final === 'FAILED' ? 'FAILED' : 'FINISHED'} ${final}\n`,
        );
        renameSync(join(folder, 'next'), join(apps, app));
      }
    },
  };
}

const TAG = /^orrery-\d+-\d+-\d+-[0-9a-f]{8}$/;

describe('an application on YARN', () => {
  it('has its tag kept before it is submitted, and is its attempt: success, failure', async () => {
    const { task, finish, all } = cluster();
    const { master, run } = await startTaskWorker();
    const first = run(task);
    await eventually('it runs', () => all().length === 1);
    const [{ body }] = master.said('handle');
    expect(body).toMatch(TAG);
    expect(all()).toEqual([`${body} RUNNING UNDEFINED`]);
    finish('SUCCEEDED');
    expect((await first).outcome).toMatchObject({ state: 'success' });
    expect(master.said('handle').map((frame) => frame.body)).toEqual([body, '']);
    const second = run(task);
    await eventually('it runs', () => all().some((app) => app.includes('RUNNING')));
    finish('FAILED');
    expect((await second).outcome).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/exit code 1/),
    });
  });

  it('is killed with its attempt, and no other one', async () => {
    const { task, apps, all } = cluster();
    writeFileSync(join(apps, 'application_9_9'), 'somebody-elses RUNNING UNDEFINED\n');
    const { killAt, tasks } = await startTaskWorker();
    const { outcome, log } = await killAt('submitted', task);
    expect(outcome.state).toBe('killed');
    expect(log).toContain('ends application_1_1');
    expect(all().map((app) => app.replace(/^orrery-\S+/, 'ours'))).toEqual([
      'ours KILLED KILLED',
      'somebody-elses RUNNING UNDEFINED',
    ]);
    expect(tasks()).toEqual([]);
  });

  it('outlives its worker: the next attempt goes on with it, and what nobody wants is ended', async () => {
    const { task, all, finish } = cluster();
    const lost = startWorkerProcess([assignment(task)], temporaryFolder(), { bundledIn: processPlugins });
    await eventually('it runs', () => all().length === 1);
    lost.process.kill('SIGKILL');
    await eventually('nothing of the worker is left', () => lost.tasks().length === 0);
    const [handle] = all()[0].split(' ');
    const { master, run } = await startTaskWorker();
    const next = run({ ...task, handle });
    await eventually('it goes on', () => master.said('handle').length > 0);
    finish('SUCCEEDED');
    const { outcome, log } = await next;
    expect(outcome).toMatchObject({ state: 'success', outputs: { application: 'application_1_0' } });
    expect(log).toContain(`goes on with ${handle}`);
    expect(all()).toHaveLength(1);
    const abandoned = cluster();
    const left = startWorkerProcess([assignment(abandoned.task)], temporaryFolder(), {
      bundledIn: processPlugins,
    });
    await eventually('it runs', () => abandoned.all().length === 1);
    left.process.kill('SIGKILL');
    await eventually('nothing of the worker is left', () => left.tasks().length === 0);
    const [tag] = abandoned.all()[0].split(' ');
    master.say({ type: 'end', assignment: assignment({ ...abandoned.task, handle: tag }) });
    await eventually('it is over', () => abandoned.all()[0].endsWith('KILLED KILLED'));
  });

  it('that was never submitted is begun by the next attempt', async () => {
    const { task, all, finish } = cluster();
    const { run } = await startTaskWorker();
    const next = run({ ...task, handle: 'orrery-1-2-1-00000000' });
    await eventually('it runs', () => all().length === 1);
    finish('SUCCEEDED');
    expect((await next).outcome).toMatchObject({ state: 'success' });
  });
});
