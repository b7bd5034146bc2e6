/** Redis for BullMQ, as Debian brings it: started on a free port with an append-only file, and stopped afterwards. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { startService, stopService } from '../../scripts/services/lifecycle.ts';
import { findCommand, type Service } from '../../scripts/services/service.ts';
import { servicesFolder } from '../engine/databases.ts';
import { countService } from '../engine/figures.ts';
import { smallest } from '../size.ts';

const redis: Service = {
  name: 'redis',
  packages: ['redis-server'],
  portVariable: 'ORRERY_BENCH_REDIS_PORT',
  stopSignal: 'SIGTERM',
  find: () => findCommand('redis-server'),
  url: (port) => `redis://127.0.0.1:${port}`,
  launch: ({ program, home, port }) => ({
    command: program,
    args: [
      ...[
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        home,
        '--daemonize',
        'no',
        '--set-proc-title',
        'no',
      ],
      ...[
        '--appendonly',
        'yes',
        '--appendfsync',
        'everysec',
        '--save',
        '',
        '--maxmemory-policy',
        'noeviction',
      ],
    ],
  }),
  ready: ({ program, port }) =>
    new Promise((resolve) => {
      const client = join(program, '..', 'redis-cli');
      execFile(client, ['-p', String(port), 'ping'], { timeout: 5_000 }, (error, answer) =>
        resolve(!error && answer.trim() === 'PONG'),
      );
    }),
};

/** Why BullMQ takes no part; undefined if it does. Smallest runs install nothing. */
export function whyNoRedis(): string | undefined {
  if (smallest) return 'it is installed at full size only';
  return redis.find() ? undefined : 'redis-server is not installed (apt-get install redis-server)';
}

/** The port of a running Redis. */
export async function startRedis(): Promise<number> {
  const { port, pid } = await startService(redis, servicesFolder, false);
  countService(pid);
  return port;
}

/** Ends it, if it runs. */
export async function stopRedis(): Promise<void> {
  await stopService(redis, servicesFolder);
}
