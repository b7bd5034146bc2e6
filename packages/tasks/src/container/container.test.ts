import { expect, it } from 'vitest';
import { containerArgs, containerSchema } from './task.ts';

it('makes the command line of a container, without the values of its variables', () => {
  const settings = containerSchema.parse({
    image: 'registry.example.org/etl:7',
    command: ['load', '--day', '2026-11-18'],
    env: { PASSWORD: 'hush' },
    mounts: [
      { source: 'in', path: '/in' },
      { source: '/data/out', path: '/out', readOnly: false },
    ],
    cpus: 1.5,
    memory: '512m',
    network: 'none',
  });
  expect(containerArgs(settings, 'orrery-1', '/code').join(' ')).toBe(
    'run --rm --name=orrery-1 --label=orrery.attempt=orrery-1 --pull=missing --env=ORRERY_GUARD --env=PASSWORD --volume=/code/in:/in:ro --volume=/data/out:/out --cpus=1.5 --memory=512m --network=none registry.example.org/etl:7 load --day 2026-11-18',
  );
});

it.each([
  [{ image: '--privileged' }],
  [{ image: 'a', network: 'host --privileged' }],
  [{ image: 'a', mounts: [{ source: '/a:/b', path: 'c' }] }],
  [{ image: 'a', mounts: [{ source: '/a', path: '/b:rw,z' }] }],
  [{ image: 'a', env: { 'A=B': 'c' } }],
  [{ image: 'a', memory: '5 --privileged' }],
])('refuses settings that would become options of the command: %j', (settings) => {
  expect(containerSchema.safeParse(settings).success).toBe(false);
});
