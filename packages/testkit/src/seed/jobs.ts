/** Namespaces of elastic jobs as their instances leave them in a registry: in memory, and nothing in them moves. */
import { realClock } from '@orrery/core/timing';
import { type JobOperator, NativeOperator } from '@orrery/elastic/board';
import { MemoryRegistry, MemoryTree } from '@orrery/registry/memory';

/** A namespace as the API takes it. */
interface SeededCenter {
  readonly name: string;
  readonly operator: JobOperator;
}

interface SeededJob {
  readonly name: string;
  readonly shards: number;
  readonly instances: number;
  readonly cron?: string;
  readonly parameters?: readonly string[];
  readonly disabled?: boolean;
  /** Why its shards are to be divided again. */
  readonly mark?: string;
  /** The first instance is gone, and the second has taken over its first shard. */
  readonly failover?: boolean;
}

const cities = ['beijing', 'shanghai', 'guangzhou', 'shenzhen', 'chengdu', 'hangzhou'];

/** A few jobs in every state that needs nobody. */
export const fewJobs: readonly SeededJob[] = [
  { name: 'settle', shards: 6, instances: 3, cron: '0 0/5 * * * ?', parameters: cities, failover: true },
  { name: 'archive', shards: 12, instances: 2, cron: '0 0 2 * * ?', mark: 'joined' },
  { name: 'report', shards: 1, instances: 1 },
  { name: 'cleanup', shards: 4, instances: 2, cron: '0 0 * * * ?', disabled: true },
];

/** A thousand jobs; the first of them has a thousand shards on twenty instances. */
export const manyJobs: readonly SeededJob[] = Array.from({ length: 1_000 }, (_, k) => ({
  name: `sync-${String(k).padStart(4, '0')}`,
  shards: k === 0 ? 1_000 : 4,
  instances: k === 0 ? 20 : 2,
  cron: '0 0/10 * * * ?',
}));

/** The namespace `billing` with these jobs. */
export async function seedJobs(jobs: readonly SeededJob[], now: number): Promise<readonly SeededCenter[]> {
  const clock = realClock({
    now: Date.now,
    monotonic: () => performance.now(),
    setTimeout: (run: () => void, delay: number) => setTimeout(run, delay).unref(),
    clearTimeout,
  });
  const registry = new MemoryRegistry(new MemoryTree(clock), { sessionTimeout: 3_600_000 });
  const put = (path: string, value: unknown = '') =>
    registry.create(`/billing${path}`, typeof value === 'string' ? value : JSON.stringify(value));
  await put('');
  await put('/unreadable');
  await put('/unreadable/config', { format: 99 });
  for (const job of jobs) await seedJob(job, now, put);
  let ids = 0;
  const operator = new NativeOperator('billing', { registry: async () => registry, id: () => `t${++ids}` });
  return [{ name: 'billing', operator }];
}

async function seedJob(
  { name, shards, instances, cron, parameters = [], disabled = false, mark, failover = false }: SeededJob,
  now: number,
  put: (path: string, value?: unknown) => Promise<unknown>,
): Promise<void> {
  const settings = { namespace: 'billing', name, cron, timezone: 'Asia/Shanghai', shards, failover };
  const shardParameters = Object.fromEntries(parameters.map((city, i) => [i, city]));
  await put(`/${name}`);
  await put(`/${name}/config`, { format: 1, identity: 'simple', job: { ...settings, shardParameters } });
  await put(`/${name}/switches`, { disabled, servers: [], shards: failover ? [shards - 1] : [] });
  for (const folder of ['instances', 'candidates', 'running', 'triggers', 'meetings'])
    await put(`/${name}/${folder}`);
  const ids = Array.from({ length: instances }, (_, k) => `10.0.0.${k + 1}@-@${400 + k}`);
  const each = Math.ceil(shards / instances);
  const range = (k: number) => `${k * each}-${Math.min(shards, (k + 1) * each) - 1}`;
  const since = now - 3_600_000;
  await put(`/${name}/assignment`, {
    number: 2,
    total: shards,
    strategy: 'average',
    shards: Object.fromEntries(ids.map((id, k) => [id, shards === 1 ? '0' : range(k)])),
    divisions: [
      { number: 2, at: since, reasons: [`${ids.at(-1)} joined`], moved: Math.floor(shards / 3) },
      { number: 1, at: since - 600_000, reasons: ['first division'], moved: 0 },
    ],
    mark: mark && { reasons: [`10.0.0.9@-@9 ${mark}`], since: now - 20_000 },
  });
  for (const [k, id] of ids.entries()) {
    await put(`/${name}/instances/${id}`, { server: id.split('@')[0], since: since - k * 60_000 });
    await put(`/${name}/candidates/c-${String(k + 1).padStart(10, '0')}`, id);
    const rounds = ['tick', k === 1 && failover ? 'failover' : 'tick', k === 0 ? 'misfire' : 'tick'];
    const recent = rounds.map((cause, i) => {
      const at = now - (rounds.length - i) * 300_000 + k * 40;
      const failed = i === 2 && k === 1 ? [{ shard: k * each, error: 'account 4711 is locked' }] : [];
      const due = cause === 'failover' ? undefined : now - (rounds.length - i) * 300_000 - 1_000;
      const succeeded = each - failed.length;
      const round = { cause, due, startedAt: at - 800, at, shards: range(k), succeeded };
      return { ...round, number: i + 1, failed, failures: failed.length };
    });
    const running = failover && k === 1 ? { shards: '0,2', since: now - 4_000 } : { shards: '' };
    await put(`/${name}/running/${id}`, { ...running, recent });
  }
}
