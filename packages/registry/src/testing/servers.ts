/** The stages of the suites: the memory tree, and servers that a test file owns and may restart. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { startService, stopService } from '../../../../scripts/services/lifecycle.ts';
import type { Service } from '../../../../scripts/services/service.ts';
import { MemoryRegistry, MemoryTree } from '../memory/index.ts';
import { openRegistry } from '../open.ts';
import { fillOptions } from '../options.ts';
import type { RegistryKind } from '../registry.ts';
import type { TestStage } from './stage.ts';

/** Long enough that no test on a busy machine loses its session. */
const PATIENT = 30_000;

/** A server in a folder of its own. */
export class OwnServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'orrery-registry-'));
  readonly #service: Service;

  constructor(service: Service) {
    // The variable is for the shared server.
    this.#service = { ...service, portVariable: '' };
    // PostgreSQL runs under another account.
    chmodSync(this.folder, 0o755);
  }

  /** Starts it, on the same port each time, and answers that port. */
  async start(): Promise<number> {
    return (await startService(this.#service, this.folder, true)).port;
  }

  async stop(): Promise<void> {
    await stopService(this.#service, this.folder);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The tree of one process; its connections are cut by its own faults. */
export function memoryStage(): TestStage {
  const { clock } = fillOptions({});
  return {
    kind: 'memory',
    shortTimeout: 600,
    start: async () => {},
    stop: async () => {},
    tree() {
      const tree = new MemoryTree(clock);
      const open = async (sessionTimeout = PATIENT) => new MemoryRegistry(tree, { sessionTimeout });
      return {
        url: undefined,
        open,
        async openLinked(sessionTimeout = 3_000) {
          const registry = await open(sessionTimeout);
          const { faults } = registry;
          const link = {
            freeze: () => faults.cut(),
            thaw: () => faults.restore(),
            cut() {
              faults.cut();
              queueMicrotask(() => setTimeout(() => faults.restore(), 50));
            },
          };
          return { registry, link };
        },
      };
    },
  };
}

/** A real server of its own; `url` says how a tree on it is reached. */
export function serverStage(
  kind: RegistryKind,
  service: Service,
  shortTimeout: number,
  url: (address: string, tree: string) => string,
): TestStage {
  const server = new OwnServer(service);
  const proxies: TcpProxy[] = [];
  let port = 0;
  let trees = 0;
  return {
    kind,
    shortTimeout,
    async start() {
      port = await server.start();
    },
    async stop() {
      await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
      await server.remove();
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    tree() {
      const name = `tree${++trees}`;
      const direct = url(`127.0.0.1:${port}`, name);
      return {
        url: direct,
        open: (sessionTimeout = PATIENT) => openRegistry(direct, { sessionTimeout }),
        async openLinked(sessionTimeout = PATIENT) {
          const proxy = await TcpProxy.to(port);
          proxies.push(proxy);
          const registry = await openRegistry(url(proxy.address, name), { sessionTimeout });
          return { registry, link: proxy };
        },
      };
    },
  };
}
