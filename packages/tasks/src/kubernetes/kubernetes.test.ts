/** `kubernetes` tasks against the recorded API. */
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { own } from '@orrery/worker/testing/test-worker';
import { describe, expect, it } from 'vitest';
import { startKubernetesApi, TOKEN } from '../testing/kubernetes-api.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

async function start() {
  const cluster = await startKubernetesApi();
  const worker = await startTaskWorker({}, { httpAllow: ['127.0.0.1'] });
  const task = (changes: object = {}, more: object = {}) => ({
    type: 'kubernetes',
    with: { connection: 'there', image: 'etl:7', args: ['load'], memory: '1Gi', ...changes },
    connections: { there: { kind: 'kubernetes', settings: { ...cluster.settings, ...more } } },
    secrets: [TOKEN],
  });
  return { ...worker, cluster, task };
}

describe('a kubernetes task', () => {
  it('is a job of one pod, whose log and values are those of the attempt', async () => {
    const { run, cluster, task, master } = await start();
    const ended = run(task({ env: { DAY: '18' }, mounts: [{ path: '/in', claim: 'data' }] }));
    const [job] = await eventually('there is a job', () => cluster.jobs().length > 0 && cluster.jobs());
    expect(master.said('handle')[0].body).toBe(JSON.stringify({ namespace: 'etl', name: job.name }));
    expect(job.body).toMatchObject({
      metadata: { labels: { 'orrery/attempt': job.name } },
      spec: {
        backoffLimit: 0,
        template: {
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            containers: [
              {
                image: 'etl:7',
                args: ['load'],
                env: [{ name: 'DAY', value: '18' }],
                resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } },
                volumeMounts: [{ name: 'v0', mountPath: '/in', readOnly: true }],
              },
            ],
            volumes: [{ name: 'v0', persistentVolumeClaim: { claimName: 'data' } }],
          },
        },
      },
    });
    cluster.begin(job, `first ${TOKEN}\n#{setValue(rows=12)}\n`);
    await eventually('its log is read', () => job.readers.size > 0);
    cluster.finish(job, 0);
    const { outcome, log } = await ended;
    expect(outcome).toMatchObject({ state: 'success', outputs: { rows: '12' } });
    expect(own(log)).toEqual(['first ***', '#{setValue(rows=12)}']);
  });

  it('fails with what its container ended by, and leaves no job', async () => {
    const { run, cluster, task } = await start();
    const ended = run(task());
    const [job] = await eventually('there is a job', () => cluster.jobs().length > 0 && cluster.jobs());
    cluster.begin(job, 'loading\n');
    cluster.finish(job, 137, 'OOMKilled');
    expect((await ended).outcome).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('OOMKilled'),
    });
    expect(job.deleted).toBe(true);
  });

  it('is killed with its job, and asks again while the cluster does not answer', async () => {
    const { cluster, task, master, worker } = await start();
    const given = assignment(task());
    master.give(given);
    const [job] = await eventually('there is a job', () => cluster.jobs().length > 0 && cluster.jobs());
    cluster.setAway(true);
    const logOf = async () => (await worker.logs.read(given.workflow, given.attempt)).bytes.toString();
    await eventually('it says so', async () => (await logOf()).includes('no answer of the cluster'));
    cluster.setAway(false);
    cluster.begin(job, 'loading\n');
    await eventually('it goes on', async () => (await logOf()).includes('loading'));
    master.kill(given.attempt);
    const { outcome } = await eventually('killed', () => master.reportOf(given.attempt));
    expect(outcome.state).toBe('killed');
    expect(cluster.alive()).toEqual([]);
    expect(master.said('handle').at(-1)?.body).toBe('');
  });

  it('goes on at the next attempt after its worker was lost, or is ended where none comes', async () => {
    const { cluster, task, master, run } = await start();
    const first = assignment(task());
    master.give(first);
    const [job] = await eventually('there is a job', () => cluster.jobs().length > 0 && cluster.jobs());
    // As for the next worker: it has only the handle.
    const handle = master.said('handle')[0].body;
    const other = await startTaskWorker({}, { httpAllow: ['127.0.0.1'] });
    const next = other.run({ ...task(), handle });
    cluster.begin(job, 'loading\n');
    cluster.finish(job, 0);
    expect((await next).outcome.state).toBe('success');
    expect(cluster.jobs()).toHaveLength(1);
    await eventually('the first has ended', () => master.reportOf(first.attempt));
    void run(task());
    const [, second] = await eventually('another runs', () => cluster.jobs().length > 1 && cluster.jobs());
    const left = { ...task(), handle: JSON.stringify({ namespace: 'etl', name: second.name }) };
    other.master.say({ type: 'end', assignment: assignment(left) });
    await eventually('it is gone', () => second.deleted);
  });

  it('says what is wrong: token, rights, address; never the token', async () => {
    const { run, task } = await start();
    const failing = async (changes: object, more: object = {}) => {
      const { outcome, log } = await run(task(changes, more));
      expect(JSON.stringify([outcome, log])).not.toContain(TOKEN);
      return outcome;
    };
    expect(await failing({}, { token: `${TOKEN}!` })).toMatchObject({
      error: 'the cluster answered with 401: Unauthorized',
      fatal: true,
    });
    expect(await failing({ namespace: 'kube-system' })).toMatchObject({
      error: expect.stringContaining('cannot create resource "jobs"'),
      fatal: true,
    });
    expect(await failing({ namespace: '../secrets' })).toMatchObject({ fatal: true });
    expect((await failing({}, { server: 'http://127.0.0.1:1' })).error).toContain('ECONNREFUSED');
    const closed = await startTaskWorker();
    expect((await closed.run(task())).outcome).toMatchObject({ state: 'failed', fatal: true });
    const probe = { type: 'connection-test', with: { connection: 'there' } };
    expect((await run({ ...task(), ...probe })).outcome.outputs?.server).toBe('Kubernetes v1.33.1');
  });
});
