/**
 * Curator's LeaderLatch: the oldest child of a node holds the latch, the others wait for it. Java instances
 * use the same children, so the names are Curator's.
 */
import { isCode } from '@orrery/registry/zookeeper-client';
import type { Nodes } from './nodes.ts';

/** Waits for the latch, runs the work and releases the latch, even if the work fails. */
export async function inLatch<T>(nodes: Nodes, path: string, id: string, work: () => Promise<T>): Promise<T> {
  const release = await takeLatch(nodes, path, id);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Waits for the latch; answers how to give it back. `id` is a UUID that was not used before. */
export async function takeLatch(nodes: Nodes, path: string, id: string): Promise<() => Promise<void>> {
  const { client } = nodes;
  const prefix = `_c_${id}-`;
  let wake = () => {};
  let unwatch: (() => void) | undefined;
  const unlisten = client.session.onState(() => wake());
  const release = async () => {
    unwatch?.();
    unlisten();
    await removeOwn(nodes, path, prefix);
  };
  try {
    await nodes.createNamed(`${path}/${prefix}latch-`, '', 'ephemeral-sequential', 'container');
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const names = (await nodes.children(path)).toSorted((a, b) => (sequenceOf(a) < sequenceOf(b) ? -1 : 1));
      const place = names.findIndex((name) => name.startsWith(prefix));
      if (place === 0) {
        const stat = await client.exists(`${path}/${names[0]}`);
        if (stat?.ephemeralOwner === client.identity.id) return release;
      } else if (place < 0)
        await nodes.createNamed(`${path}/${prefix}latch-`, '', 'ephemeral-sequential', 'container');
      else if (!unwatch) unwatch = await client.watch(path, 'persistent', () => wake());
      else await changed;
      if (client.session.state === 'lost') throw new Error('the registry session is lost');
    }
  } catch (error) {
    // A child that is never removed would block all instances.
    void release().catch(() => {});
    throw error;
  }
}

/** Deletes the places with this prefix, however often the connection breaks meanwhile. */
async function removeOwn(nodes: Nodes, path: string, prefix: string): Promise<void> {
  for (;;) {
    try {
      const names = (await nodes.children(path)).filter((name) => name.startsWith(prefix));
      await Promise.all(names.map((name) => nodes.remove(`${path}/${name}`)));
      return;
    } catch (error) {
      // An ended session removes its children, and reports no more links.
      if (!isCode(error, 'CONNECTION_LOSS') || nodes.session.state === 'lost') throw error;
      await new Promise<void>((resolve) => {
        const done = () => {
          unlink();
          unlisten();
          resolve();
        };
        const unlink = nodes.client.onLink(done);
        const unlisten = nodes.client.session.onState(done);
      });
    }
  }
}

/** The number after the last `latch-`: ten digits, so that texts compare as numbers. */
function sequenceOf(name: string): string {
  return name.slice(name.lastIndexOf('latch-') + 'latch-'.length);
}
