/** Elastic jobs in a memory registry, for tests: `settle` with one instance, `old` without, `bad` that cannot be read. */
import { realClock } from '@orrery/core/timing';
import { type JobOperator, NativeOperator } from '@orrery/elastic/board';
import type { Registry } from '@orrery/registry';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';

/** The instance of `settle`. */
export const INSTANCE = '10.0.0.1@-@7';

/** The namespace `billing`, and its operator. */
export async function seedJobs(): Promise<{ operator: JobOperator; registry: Registry }> {
  const timers = { setTimeout, clearTimeout, now: Date.now, monotonic: () => performance.now() };
  const unreferenced = {
    ...timers,
    setTimeout: (run: () => void, delay: number) => setTimeout(run, delay).unref(),
  };
  const registry = new MemoryRegistry(new MemoryTree(realClock(unreferenced)), { sessionTimeout: 3_600_000 });
  const config = (name: string) =>
    JSON.stringify({
      format: 1,
      identity: 'simple',
      job: {
        namespace: 'billing',
        name,
        cron: '0 0 * * * ?',
        shards: 2,
        shardParameters: '0=beijing,1=shanghai',
      },
    });
  const put = (path: string, value = '') => registry.create(`/billing${path}`, value);
  await put('');
  for (const name of ['settle', 'old']) {
    await put(`/${name}`);
    await put(`/${name}/config`, config(name));
    await put(`/${name}/switches`, JSON.stringify({ disabled: false, servers: [], shards: [] }));
    await put(`/${name}/assignment`, JSON.stringify({ number: 0, total: 0, strategy: '', shards: {} }));
    for (const folder of ['instances', 'candidates', 'running', 'triggers', 'meetings'])
      await put(`/${name}/${folder}`);
  }
  const since = Date.parse('2026-03-01T07:00:00Z');
  const division = { number: 1, at: since, reasons: ['first division'], moved: 0 };
  const assignment = {
    number: 1,
    total: 2,
    strategy: 'average',
    shards: { [INSTANCE]: '0-1' },
    divisions: [division],
  };
  await registry.set('/billing/settle/assignment', JSON.stringify(assignment));
  await put(`/settle/instances/${INSTANCE}`, JSON.stringify({ server: '10.0.0.1', since }));
  await put('/settle/candidates/c-0000000001', INSTANCE);
  const round = {
    number: 1,
    cause: 'tick',
    due: since,
    startedAt: since,
    at: since + 900,
    shards: '0-1',
    succeeded: 1,
    failures: 1,
    failed: [{ shard: 1, error: 'no account' }],
  };
  await put(`/settle/running/${INSTANCE}`, JSON.stringify({ shards: '0', since, recent: [round] }));
  await put(`/settle/triggers/${INSTANCE}`);
  await put('/bad');
  await put('/bad/config', '{"format": 99}');
  let ids = 0;
  const operator = new NativeOperator('billing', { registry: async () => registry, id: () => `t${++ids}` });
  return { operator, registry };
}
