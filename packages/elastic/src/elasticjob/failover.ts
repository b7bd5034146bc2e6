/**
 * Takes over the shards that lost instances left running. All of it happens inside the failover latch, so that a shard
 * is offered and taken once; an instance takes its share at a time, where Java takes one shard.
 */
import type { Job } from '@orrery/core/model';
import { isCode } from '@orrery/registry/zookeeper-client';
import type { Grant } from '../board/board.ts';
import { inLatch } from './latch.ts';
import type { LeaderPorts } from './leader.ts';

/** Whether shards wait to be offered or taken. */
export function isFailoverDue({ tree, facts, paths }: LeaderPorts): boolean {
  return tree.children(paths.failoverItems).length > 0 || facts.crashed().length > 0;
}

/** Takes this instance's share; what it may run now. */
export async function takeOver(
  ports: LeaderPorts,
  job: Job,
  instance: string,
  latchId: string,
): Promise<readonly Grant[]> {
  const { nodes, tree, facts, paths } = ports;
  // Created before the latch: the latch would create missing parents as containers.
  if (!tree.has(paths.failoverItems)) await nodes.create(paths.failoverItems, '');
  const taken = await inLatch(nodes, paths.failoverLatch, latchId, async () => {
    await tree.settled();
    await offer(ports);
    await tree.settled();
    const items = tree.children(paths.failoverItems).filter((name) => /^\d+$/.test(name));
    const share = items.slice(0, Math.ceil(items.length / Math.max(1, facts.available.length)));
    const shards = await Promise.all(
      share.map(async (name) => {
        const shard = Number(name);
        // A shard that runs again or no longer exists needs no takeover.
        const isWanted = shard < job.shards && facts.runner(shard) === undefined;
        if (isWanted) {
          await nodes.persistEphemeral(paths.shard(shard, 'failover'), instance);
          await nodes.persist(paths.shard(shard, 'failovering'), instance);
        }
        await nodes.remove(`${paths.failoverItems}/${name}`);
        return isWanted ? [shard] : [];
      }),
    );
    return shards.flat();
  });
  const grants = await Promise.all(
    taken.map(async (shard) => {
      const stat = await nodes.create(paths.shard(shard, 'running'), instance);
      if (stat) return [{ shard, token: Number(stat.czxid) }];
      await nodes.remove(paths.shard(shard, 'failover'));
      await nodes.remove(paths.shard(shard, 'failovering'));
      return [];
    }),
  );
  return grants.flat();
}

async function offer({ nodes, tree, facts, paths }: LeaderPorts): Promise<void> {
  const shards = facts.crashed();
  await Promise.all(
    shards.map(async (shard) => {
      const running = paths.shard(shard, 'running');
      const item = nodes.creation(`${paths.failoverItems}/${shard}`, '');
      try {
        await nodes.client.multi(tree.has(running) ? [item, { op: 'delete', path: running }] : [item]);
      } catch (error) {
        // A Java instance has offered it meanwhile.
        if (!isCode(error, 'NODE_EXISTS', 'NO_NODE')) throw error;
      }
    }),
  );
}
