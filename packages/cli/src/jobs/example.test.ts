import { join } from 'node:path';
import { testDatabase } from '@orrery/testkit/databases';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobProcess } from './testing.ts';

const service = join(import.meta.dirname, '../../../../examples/jobs/service.ts');
let database: Awaited<ReturnType<typeof testDatabase>>;
const processes: JobProcess[] = [];
const start = () => {
  const one = new JobProcess(service, { REGISTRY: database.url });
  processes.push(one);
  return one;
};

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')));
  await database.drop();
});

it('divides its shards over the processes of the service, and moves them when one stops', async () => {
  const first = start();
  await first.until('shard', 4);
  expect(new Set(first.having('city').map(({ city }) => city))).toEqual(
    new Set(['beijing', 'shanghai', 'guangzhou', 'shenzhen']),
  );
  await first.until('report');
  const second = start();
  await second.until('shard', 4);
  const own = new Set(second.having('shard').map(({ shard }) => shard));
  expect(own.size).toBe(2);
  expect(await first.end('SIGTERM')).toBe(0);
  const before = second.having('shard').length;
  await expect
    .poll(
      () =>
        new Set(
          second
            .having('shard')
            .slice(before)
            .map(({ shard }) => shard),
        ).size,
      { timeout: 60_000 },
    )
    .toBe(4);
  expect(await second.end('SIGINT')).toBe(0);
});

it('loads nothing of the command line', async () => {
  const { spawnSync } = await import('node:child_process');
  const code = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    await import('orrery-scheduler/elastic');`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../../..'),
    encoding: 'utf8',
  });
  expect(stdout).toContain('packages/elastic/src/index.ts');
  expect(stdout).not.toMatch(/commander|packages\/(api|store|master|worker|sdk)\/|cli\/src\/main/);
});
