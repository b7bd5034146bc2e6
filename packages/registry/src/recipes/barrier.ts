/**
 * A barrier: members wait until all have entered, and then until all have left. Use a new path for each
 * round. The mark `ready` lets a slow member through even if a quick one has already left.
 */
import { isRegistryError } from '../errors.ts';
import { join } from '../path.ts';
import type { Registry } from '../registry.ts';
import { SubtreeView } from '../view.ts';
import { ensure, persist } from './persist.ts';
import { goneError } from './place.ts';

const READY = 'ready';

/** Enters under a name and waits until `count` members have. `leave` leaves and waits until all have left. */
export async function enterBarrier(
  registry: Registry,
  path: string,
  name: string,
  count: number,
): Promise<{ leave(): Promise<void> }> {
  const own = join(path, 'in', name);
  const ready = join(path, READY);
  await ensure(registry, join(path, 'in'));
  await persist(registry, path, async () => {
    const found = await registry.get(own);
    if (found?.owner !== registry.session.id) await registry.create(own, '', { ephemeral: true });
  });
  await until(registry, path, async () => {
    if (await registry.get(ready)) return true;
    if ((await registry.children(join(path, 'in'))).length < count) return false;
    await registry.create(ready, '').catch((error) => {
      if (!isRegistryError(error, 'exists')) throw error;
    });
    return true;
  });
  return {
    async leave() {
      await persist(registry, path, () =>
        registry.delete(own).catch((error) => {
          if (!isRegistryError(error, 'no-entry')) throw error;
        }),
      );
      await until(registry, path, async () => (await registry.children(join(path, 'in'))).length === 0);
    },
  };
}

/** Waits until a condition holds; checks it whenever the subtree changes. */
async function until(registry: Registry, path: string, holds: () => Promise<boolean>): Promise<void> {
  let wake = () => {};
  let changes = 0;
  const signal = () => {
    changes++;
    wake();
  };
  const view = await SubtreeView.open(registry, path, signal);
  const forget = registry.session.onState(signal);
  try {
    for (;;) {
      if (registry.session.lostBecause !== undefined) throw goneError(registry, path);
      const before = changes;
      if (await persist(registry, path, holds)) return;
      if (changes === before)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    view.stop();
    forget();
  }
}
