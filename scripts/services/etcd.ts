/** etcd as a cluster of one, on the loopback interface. */
import { join } from 'node:path';
import { findCommand, type Service } from './service.ts';

// The peer port is not used by a cluster of one, but has to be there: the system picks any.
const PEER = 'http://127.0.0.1:0';

export const etcd: Service = {
  name: 'etcd',
  packages: ['etcd-server'],
  portVariable: 'ORRERY_TEST_ETCD_PORT',
  stopSignal: 'SIGTERM',

  find: () => findCommand('etcd'),

  url: (port) => `http://127.0.0.1:${port}`,

  launch: ({ program, home, port }) => ({
    command: program,
    args: [
      ...['--data-dir', join(home, 'data')],
      ...['--listen-client-urls', etcd.url(port), '--advertise-client-urls', etcd.url(port)],
      ...['--listen-peer-urls', PEER, '--initial-advertise-peer-urls', PEER],
      ...['--initial-cluster', `default=${PEER}`],
    ],
  }),

  async ready({ port }) {
    try {
      const answer = await fetch(`${etcd.url(port)}/health`, { signal: AbortSignal.timeout(2_000) });
      return ((await answer.json()) as { health?: string }).health === 'true';
    } catch {
      return false;
    }
  },
};
