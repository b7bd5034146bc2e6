/** Registries that elastic jobs are measured on. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { etcd } from '../../scripts/services/etcd.ts';
import { startService } from '../../scripts/services/lifecycle.ts';
import { postgres } from '../../scripts/services/postgres.ts';
import { zookeeper } from '../../scripts/services/zookeeper.ts';

export interface Place {
  readonly name: string;
  readonly url: string;
}

/** Memory, and the services of this working copy. */
export async function places(): Promise<Place[]> {
  const folder = join(import.meta.dirname, '../../.services');
  const at = async (service: Parameters<typeof startService>[0]) =>
    `127.0.0.1:${(await startService(service, folder, true)).port}`;
  return [
    { name: 'memory', url: `memory:${randomUUID()}` },
    { name: 'postgres', url: `postgres://postgres@${await at(postgres)}/postgres` },
    { name: 'etcd', url: `etcd://${await at(etcd)}` },
    { name: 'zookeeper', url: `zookeeper://${await at(zookeeper)}` },
  ];
}
