/** Opens a registry by its URL and loads only the implementation it names. */
import { kindOf, parseAddress, publicUrl } from './address.ts';
import { MemoryRegistry, MemoryTree } from './memory/index.ts';
import { fillOptions, type RegistryOptions } from './options.ts';
import type { Registry } from './registry.ts';

/** Trees of `memory:NAME` URLs, shared by all clients of one process. */
const trees = new Map<string, MemoryTree>();

/**
 * Opens a client with a new session. The error is one line with the reason and the server, without
 * credentials. After the session is lost, open another client.
 */
export async function openRegistry(url: string, options: RegistryOptions = {}): Promise<Registry> {
  const filled = fillOptions(options);
  switch (kindOf(url)) {
    case 'memory': {
      const name = publicUrl(url).slice('memory:'.length);
      const tree = trees.get(name) ?? new MemoryTree(filled.clock, name);
      trees.set(name, tree);
      return new MemoryRegistry(tree, filled);
    }
    case 'postgres': {
      const { PostgresRegistry } = await import('./postgres/registry.ts');
      return PostgresRegistry.open(url, filled);
    }
    case 'zookeeper': {
      const [{ ZooKeeperRegistry }, { zooKeeperOptions }] = await Promise.all([
        import('./zookeeper/registry.ts'),
        import('./zookeeper/options.ts'),
      ]);
      return ZooKeeperRegistry.open(zooKeeperOptions(url, filled));
    }
    case 'etcd': {
      const { EtcdRegistry } = await import('./etcd/registry.ts');
      return EtcdRegistry.open(parseAddress(url), filled);
    }
  }
}
