import { expect, it } from 'vitest';
import { RegistryError } from './errors.ts';
import { MemoryRegistry } from './memory/client.ts';
import { MemoryTree } from './memory/tree.ts';
import { fillOptions } from './options.ts';
import type { Registry, WatchEvent } from './registry.ts';
import { SubtreeView } from './view.ts';

it('reads again when the server came back during a read that failed', async () => {
  const registry = new MemoryRegistry(new MemoryTree(fillOptions({}).clock), { sessionTimeout: 30_000 });
  await registry.create('/live', '');
  let tell = (_event: WatchEvent): void => {};
  let isAway = false;
  /** A connection that is lost, and back before the read that it broke has failed. */
  const broken: Registry = Object.create(registry, {
    watch: {
      value: (path: string, scope: 'subtree', listener: (event: WatchEvent) => void) => {
        tell = listener;
        return registry.watch(path, scope, () => {});
      },
    },
    get: {
      value: async (path: string) => {
        if (!isAway) return registry.get(path);
        isAway = false;
        tell({ type: 'resync', path: '/live' });
        throw new RegistryError('away', { path });
      },
    },
    subtree: { value: (path: string) => registry.subtree(path) },
  });
  const view = await SubtreeView.open(broken, '/live');
  await registry.create('/live/a', '');
  isAway = true;
  tell({ type: 'created', path: '/live/a' });
  await expect.poll(() => [...view.entries.keys()]).toEqual(['/live', '/live/a']);
  view.stop();
  await registry.close();
});
