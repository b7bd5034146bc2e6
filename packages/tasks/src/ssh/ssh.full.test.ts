/** `ssh` tasks with a real SSH server. */
import { readdirSync, readFileSync } from 'node:fs';
import { carrierVariable } from '@orrery/core/params';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { own } from '@orrery/worker/testing/test-worker';
import { describe, expect, it } from 'vitest';
import { processPlugins } from '../testing/process-plugins.ts';
import { startSshServer } from '../testing/ssh-server.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

type Settings = Awaited<ReturnType<typeof startSshServer>>['settings'];

const ssh = (script: string, settings: Settings, more: object = {}) => ({
  type: 'ssh',
  with: { connection: 'there', script, ...more },
  connections: { there: { kind: 'ssh', settings } },
  secrets: [settings.key],
});

/** Processes of this machine, which is the other host too, that have a word in their command line. */
const processesWith = (word: string) =>
  readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return line.startsWith('sleep') && line.includes(word);
    } catch {
      return false;
    }
  });

/** A number of seconds that only this test sleeps for. */
const mark = () => `6${process.pid}${Math.floor(performance.now())}`;

describe('an ssh task', () => {
  it('runs a script on the other host, hands its outputs on, and fails with its exit code', async () => {
    const { settings } = await startSshServer(temporaryFolder());
    const { run } = await startTaskWorker();
    const script = 'echo "over $SSH_CONNECTION" | cut -c1-14\necho "#{setValue(rows=7)}"\necho "it\'s done"';
    const { outcome, log } = await run(ssh(script, settings));
    expect(outcome).toMatchObject({ state: 'success', outputs: { rows: '7' } });
    expect(own(log)).toEqual(['over 127.0.0.1', '#{setValue(rows=7)}', "it's done"]);
    const carried = `echo "\${${carrierVariable('name')}}"`;
    const evil = `it's "; rm -rf / $(id)`;
    const value = await run({ ...ssh(carried, settings), params: { name: evil } });
    expect(own(value.log)).toEqual([evil]);
    const bash = await run(ssh('echo "${BASH_VERSION:+bash}"; exit 3', settings, { shell: '/bin/bash' }));
    expect(own(bash.log)).toEqual(['bash']);
    expect(bash.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('exit code 3') });
    const probe = { type: 'connection-test', with: { connection: 'there' } };
    expect((await run({ ...ssh('', settings), ...probe })).outcome).toMatchObject({ state: 'success' });
  });

  it('says what is wrong: host, key of the host, key of the user', async () => {
    const { settings, otherKey, otherHostKey } = await startSshServer(temporaryFolder());
    const { run } = await startTaskWorker();
    const failing = async (changes: Partial<Settings>) => {
      const { outcome, log } = await run(ssh('echo never', { ...settings, ...changes }));
      expect(own(log)).not.toContain('never');
      return outcome.error;
    };
    expect(await failing({ port: 1 })).toMatch(/Connection refused/);
    expect(await failing({ hostKey: otherHostKey })).toMatch(/Host key verification failed/);
    expect(await failing({ key: otherKey })).toMatch(/Permission denied/);
    expect(await failing({ host: '-oProxyCommand=true' })).toMatch(
      /host: is the name or the address of a host/,
    );
  });

  it('is killed with everything it started there, also what ignores TERM', async () => {
    const { settings } = await startSshServer(temporaryFolder());
    const { killAt, tasks } = await startTaskWorker();
    const word = mark();
    const script = `trap '' TERM\nsleep ${word} &\necho started\nsleep ${word}`;
    const { outcome } = await killAt('started', ssh(script, settings));
    expect(outcome).toMatchObject({ state: 'killed' });
    expect([tasks(), processesWith(word)]).toEqual([[], []]);
  });

  it('leaves nothing there when its worker dies', async () => {
    const { settings } = await startSshServer(temporaryFolder());
    const word = mark();
    const given = assignment(ssh(`sleep ${word} & sleep ${word}`, settings));
    const worker = startWorkerProcess([given], temporaryFolder(), { bundledIn: processPlugins });
    await eventually('it runs there', () => processesWith(word).length === 2);
    worker.process.kill('SIGKILL');
    await eventually(
      'nothing is left',
      () => processesWith(word).length === 0 && worker.tasks().length === 0,
    );
  });
});
