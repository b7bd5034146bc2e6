/** What has to hold on an ensemble of three whatever happens to its members; the same on ZooKeeper and etcd. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../open.ts';
import { Candidate } from '../recipes/index.ts';
import type { Registry } from '../registry.ts';
import { SubtreeView } from '../view.ts';
import type { Ensemble } from './ensemble.ts';
import { Opened } from './stage.ts';

export function ensembleCases(ensemble: Ensemble): void {
  describe(`the registry on three members of ${ensemble.kind}`, () => {
    const opened = new Opened();
    let trees = 0;
    beforeAll(() => ensemble.start());
    afterEach(() => opened.close());
    afterAll(() => ensemble.remove());

    /** A client that starts on one member and may go to the others, and what it and its view show. */
    const client = async (tree: string, first: number, sessionTimeout = 20_000) => {
      const others = [0, 1, 2].filter((me) => me !== first);
      // A constant keeps the order of the hosts.
      const options = { sessionTimeout, random: () => 0, connectTimeout: 30_000 };
      const registry = opened.add(await openRegistry(ensemble.url(tree, [first, ...others]), options));
      expect(ensemble.memberAt(registry.server)).toBe(first);
      return registry;
    };
    const watched = async (registry: Registry) => {
      const view = await SubtreeView.open(registry, '/live');
      opened.add({ close: () => view.stop() });
      return () => [...view.entries.keys()].slice(1);
    };
    const tryUntil = (attempt: () => Promise<unknown>) =>
      expect
        .poll(
          () =>
            attempt().then(
              () => 'made',
              (error) => error.reason,
            ),
          { timeout: 60_000 },
        )
        .toMatch(/^(made|exists)$/);

    const survives = async (victim: number) => {
      const tree = `tree${++trees}`;
      const witness = await client(tree, (victim + 1) % 3);
      const registry = await client(tree, victim);
      await witness.create('/live', '');
      const before = await registry.create('/live/me', '', { ephemeral: true });
      const names = await watched(registry);
      await ensemble.kill(victim);
      await tryUntil(() => witness.create('/live/after', ''));
      await expect.poll(names, { timeout: 60_000 }).toEqual(['/live/after', '/live/me']);
      await tryUntil(() => registry.create('/live/own', '', { ephemeral: true }));
      expect(ensemble.memberAt(registry.server)).not.toBe(victim);
      const own = await registry.get('/live/own');
      expect(own?.created).toBeGreaterThan(before.created);
      expect(own?.owner).toBe(before.owner);
      expect(registry.session.lostBecause).toBeUndefined();
    };

    it('keeps session, entries and watch when the member of a client is killed', async () => {
      const leader = await ensemble.settled(3);
      await survives((leader + 1) % 3);
    });

    it('lets a member join again: clients of it see what happened meanwhile, and what happens then', async () => {
      const leader = await ensemble.settled(2);
      const tree = `tree${++trees}`;
      const writer = await client(tree, leader);
      await writer.create('/live', '');
      await writer.create('/live/meanwhile', '');
      for (const me of [0, 1, 2])
        if (me !== leader) await ensemble.kill(me).then(() => ensemble.startMember(me));
      await ensemble.settled(3);
      const names = await watched(await client(tree, (leader + 1) % 3));
      expect(names()).toEqual(['/live/meanwhile']);
      await tryUntil(() => writer.create('/live/then', ''));
      await expect.poll(names).toEqual(['/live/meanwhile', '/live/then']);
    });

    it('elects another leader when its leader is killed, and keeps session, entries and watch', async () => {
      const leader = await ensemble.settled(3);
      await survives(leader);
      expect(await ensemble.settled(2)).not.toBe(leader);
      ensemble.startMember(leader);
      await ensemble.settled(3);
    });

    it('has no leader and takes no write in a minority, and goes on when the majority is back', async () => {
      const leader = await ensemble.settled(3);
      const tree = `tree${++trees}`;
      const alone = (leader + 1) % 3;
      const registry = await client(tree, alone, 4_000);
      await registry.create('/live', '');
      await registry.create('/plan', '0');
      const candidate = await Candidate.stand(registry, '/election', 'a');
      expect(candidate.isLeading).toBe(true);
      const rest = [0, 1, 2].filter((me) => me !== alone);
      for (const me of rest) ensemble.freeze(me, true);
      const write = (value: string) =>
        registry.transaction([candidate.check, { op: 'set', path: '/plan', value }]);
      await expect.poll(() => candidate.isLeading).toBe(false);
      expect((await write('in the minority').catch((error) => error)).reason).toMatch(
        /^(away|session-lost)$/,
      );
      expect(registry.session.state).not.toBe('connected');
      for (const me of rest) ensemble.freeze(me, false);
      await ensemble.settled(3);
      const later = await client(tree, leader);
      const names = await watched(later);
      const next = await Candidate.stand(later, '/election', 'b');
      // Either the old session came back in time, or the next one leads: never both.
      await expect
        .poll(() => [candidate.isLeading, next.isLeading].filter(Boolean).length, { timeout: 60_000 })
        .toBe(1);
      await tryUntil(() => later.create('/live/later', ''));
      await expect.poll(names).toEqual(['/live/later']);
      expect((await later.get('/plan'))?.value).toBe('0');
    });
  });
}
