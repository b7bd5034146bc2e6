/** The contract of `Registry`, run on every implementation against a real server. */

import { InvalidInput } from '@orrery/core/errors';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sequenceOf } from '../path.ts';
import type { Entry, Operation, Registry, WatchEvent } from '../registry.ts';
import { connectionCases } from './connections.ts';
import { recipeCases } from './recipes.ts';
import { Opened, type TestStage, type TestTree } from './stage.ts';

/** All cases; those of connections and sessions are in `connections.ts`. */
export function conformance(stage: TestStage): void {
  describe(`the ${stage.kind} registry`, () => {
    const opened = new Opened();
    let tree: TestTree;
    const open = async (timeout?: number) => opened.add(await tree.open(timeout));
    beforeAll(() => stage.start());
    afterEach(() => opened.close());
    afterAll(() => stage.stop());
    const fresh = (name: string, run: () => Promise<void>) =>
      it(name, async () => {
        tree = stage.tree();
        await run();
      });

    fresh('keeps entries with versions and numbers that grow', async () => {
      const a = await open();
      const b = await open();
      expect(await a.get('/a')).toBeUndefined();
      const created = await a.create('/a', 'one');
      expect(created).toMatchObject({ path: '/a', value: 'one', version: 0, owner: undefined });
      expect(await b.get('/a')).toEqual(created);
      const changed = await b.set('/a', 'two', 0);
      expect(changed).toMatchObject({ value: 'two', version: 1, created: created.created });
      expect(changed.changed).toBeGreaterThan(created.changed);
      expect(await a.get('/a')).toEqual(changed);
      const child = await a.create('/a/b', 'grüße ✓');
      expect(child.created).toBeGreaterThan(created.created);
      await a.create('/a/b/c', '');
      await a.create('/a-b', '');
      expect(await b.children('/a')).toEqual(['b']);
      expect((await b.subtree('/a')).map(({ path, value }) => [path, value])).toEqual([
        ['/a', 'two'],
        ['/a/b', 'grüße ✓'],
        ['/a/b/c', ''],
      ]);
      expect(await b.children('/')).toEqual(['a', 'a-b']);
      expect([await b.get('/'), await b.children('/no'), await b.subtree('/no')]).toEqual([
        undefined,
        [],
        [],
      ]);
      await b.delete('/a/b/c');
      await b.delete('/a/b', 0);
      const again = await a.create('/a/b', '');
      expect([again.version, again.created > changed.changed]).toEqual([0, true]);
    });

    fresh('refuses with a reason, and changes nothing', async () => {
      const registry = await open();
      await registry.create('/a', '');
      await registry.create('/a/b', '');
      await registry.create('/e', '', { ephemeral: true });
      const before = await registry.subtree('/');
      const attempts: [() => Promise<unknown>, string][] = [
        [() => registry.create('/a', ''), 'exists'],
        [() => registry.create('/no/b', ''), 'no-parent'],
        [() => registry.create('/e/b', ''), 'below-ephemeral'],
        [() => registry.create('/e/b-', '', { sequential: true }), 'below-ephemeral'],
        [() => registry.set('/no', ''), 'no-entry'],
        [() => registry.set('/a', '', 1), 'version'],
        [() => registry.delete('/no'), 'no-entry'],
        [() => registry.delete('/a/b', 1), 'version'],
        [() => registry.delete('/a'), 'not-empty'],
      ];
      for (const [attempt, reason] of attempts)
        await expect(attempt()).rejects.toMatchObject({ tag: 'registry', reason });
      expect(await registry.subtree('/')).toEqual(before);
      for (const path of ['a', '/a/', '//a', '/a/../b', '/a\u0000', `/${'x'.repeat(1_001)}`])
        await expect(registry.create(path, '')).rejects.toBeInstanceOf(InvalidInput);
      await expect(registry.create('/large', 'x'.repeat(500_001))).rejects.toBeInstanceOf(InvalidInput);
      const large = 'ü'.repeat(250_000);
      await registry.create('/large', large);
      expect((await registry.get('/large'))?.value).toBe(large);
    });

    fresh('makes all steps of a transaction or none', async () => {
      const registry = await open();
      const results = await registry.transaction([
        { op: 'check', path: '/' },
        { op: 'create', path: '/a', value: '1' },
        { op: 'create', path: '/a/b', value: '2' },
        { op: 'create', path: '/a/s-', value: '3', ephemeral: true, sequential: true },
      ]);
      expect(results.map((entry) => entry?.value)).toEqual([undefined, '1', '2', '3']);
      expect(await registry.subtree('/')).toEqual(results.slice(1));
      const more = await registry.transaction([
        { op: 'check', path: '/a', version: 0 },
        { op: 'set', path: '/a/b', value: 'x', version: 0 },
        { op: 'delete', path: results[3]?.path as string },
      ]);
      expect(more).toEqual([undefined, await registry.get('/a/b'), undefined]);
      const before = await registry.subtree('/');
      const refused = async (step: number, reason: string, operation: Operation) => {
        const good: Operation[] = [
          { op: 'set', path: '/a', value: 'no' },
          { op: 'create', path: '/c', value: 'no' },
        ];
        await expect(registry.transaction(good.toSpliced(step, 0, operation))).rejects.toMatchObject({
          reason,
          step,
        });
        expect(await registry.subtree('/')).toEqual(before);
      };
      await refused(0, 'no-entry', { op: 'check', path: '/no' });
      await refused(2, 'version', { op: 'check', path: '/a/b', version: 7 });
      await refused(1, 'exists', { op: 'create', path: '/a/b', value: '' });
      await refused(2, 'no-parent', { op: 'create', path: '/no/b', value: '' });
      await refused(1, 'version', { op: 'set', path: '/a/b', value: '', version: 7 });
      await refused(2, 'no-entry', { op: 'delete', path: '/no' });
      const twice = { op: 'set', path: '/a', value: '' } as const;
      await expect(registry.transaction([twice, twice])).rejects.toBeInstanceOf(InvalidInput);
      expect(await registry.transaction([])).toEqual([]);
      const forty = Array.from({ length: 40 }, (_, k) => ({
        op: 'create' as const,
        path: `/f${k}`,
        value: '',
        ephemeral: k % 2 === 0,
      }));
      expect(await registry.transaction(forty)).toHaveLength(40);
    });

    fresh('lets one of several compare-and-sets win', async () => {
      const clients = await Promise.all([open(), open(), open()]);
      await clients[0].create('/n', '0');
      const add = async (client: Registry) => {
        for (let done = 0; done < 10; ) {
          const { value, version } = (await client.get('/n')) as Entry;
          const wrote = await client.set('/n', String(Number(value) + 1), version).then(
            () => 1,
            (error) => (error.reason === 'version' ? 0 : Promise.reject(error)),
          );
          done += wrote;
        }
      };
      await Promise.all(clients.map(add));
      expect(await clients[0].get('/n')).toMatchObject({ value: '30', version: 30 });
    });

    fresh('numbers sequential entries in the order of creation, and reuses no number', async () => {
      const clients = await Promise.all([open(), open(), open()]);
      await clients[0].create('/q', '');
      const first = await clients[0].create('/q/b-', '', { sequential: true });
      expect(first.path).toMatch(/^\/q\/b-\d{10}$/);
      await clients[0].delete(first.path);
      let last = sequenceOf(first.path) as number;
      for (const client of clients) {
        const { path } = await client.create('/q/a-', '', { sequential: true, ephemeral: true });
        expect(sequenceOf(path)).toBeGreaterThan(last);
        last = sequenceOf(path) as number;
      }
      const many = await Promise.all(
        clients.flatMap((client) =>
          Array.from({ length: 10 }, () => client.create('/q/c-', '', { sequential: true })),
        ),
      );
      const inOrder = many
        .toSorted((a, b) => a.created - b.created)
        .map(({ path }) => sequenceOf(path) as number);
      expect(inOrder).toEqual([...new Set(inOrder)].sort((a, b) => a - b));
      expect(Math.min(...inOrder)).toBeGreaterThan(last);
    });

    fresh('ends ephemeral entries with their session, and only those', async () => {
      const a = await open();
      const b = await open();
      expect(a.session.id).not.toBe(b.session.id);
      await a.create('/live', '');
      const own = await a.create('/live/a', 'x', { ephemeral: true });
      await b.create('/live/b', '', { ephemeral: true });
      expect(own.owner).toBe(a.session.id);
      expect((await b.set('/live/a', 'y')).owner).toBe(a.session.id);
      await a.close();
      expect(a.session.state).toBe('lost');
      expect(await b.children('/live')).toEqual(['b']);
      await expect(a.get('/live')).rejects.toMatchObject({ reason: 'session-lost' });
      await a.close();
    });

    fresh('refuses what a leader writes when its election entry is gone', async () => {
      const leader = await open();
      const other = await open();
      await leader.create('/election', '');
      await leader.create('/plan', '0');
      const { path } = await leader.create('/election/n-', '', { ephemeral: true, sequential: true });
      const write = (value: string) =>
        leader.transaction([
          { op: 'check', path },
          { op: 'set', path: '/plan', value },
        ]);
      await write('1');
      await other.delete(path);
      await expect(write('2')).rejects.toMatchObject({ reason: 'no-entry', step: 0 });
      expect((await other.get('/plan'))?.value).toBe('1');
    });

    fresh('tells watchers of an entry and of a subtree what changed', async () => {
      const watcher = await open();
      const writer = await open();
      const seen: Record<string, WatchEvent[]> = { entry: [], subtree: [], stopped: [] };
      await writer.create('/w', '');
      await watcher.watch('/w/a', 'entry', (event) => seen.entry.push(event));
      await watcher.watch('/w', 'subtree', (event) => seen.subtree.push(event));
      const stopped = await watcher.watch('/w', 'subtree', (event) => seen.stopped.push(event));
      stopped.stop();
      await writer.create('/w-not', '');
      const types = (list: WatchEvent[], path: string) =>
        list.filter((event) => event.path === path).map(({ type }) => type);
      const until = (types: () => string[], ...expected: string[]) => expect.poll(types).toEqual(expected);
      await writer.create('/w/a', '');
      await until(() => types(seen.subtree, '/w/a'), 'created');
      await writer.set('/w/a', 'x');
      await until(() => types(seen.subtree, '/w/a'), 'created', 'changed');
      await writer.create('/w/a/b', '');
      await until(() => types(seen.subtree, '/w/a/b'), 'created');
      await writer.delete('/w/a/b');
      await until(() => types(seen.subtree, '/w/a/b'), 'created', 'deleted');
      await writer.delete('/w/a');
      await until(() => types(seen.subtree, '/w/a'), 'created', 'changed', 'deleted');
      await writer.set('/w', 'x');
      await until(() => types(seen.subtree, '/w'), 'changed');
      await until(() => types(seen.entry, '/w/a'), 'created', 'changed', 'deleted');
      expect(seen.entry).toHaveLength(3);
      expect(seen.stopped).toEqual([]);
      expect(seen.subtree.filter(({ path }) => path === '/w-not')).toEqual([]);
    });

    fresh('tells of every entry that many clients write at once', async () => {
      const watcher = await open();
      const writers = await Promise.all([open(), open(), open()]);
      await watcher.create('/w', '');
      const seen = new Set<string>();
      await watcher.watch('/w', 'subtree', ({ path }) => seen.add(path));
      const paths = await Promise.all(
        writers.flatMap((writer, k) =>
          Array.from({ length: 30 }, async (_, n) => (await writer.create(`/w/${k}-${n}`, '')).path),
        ),
      );
      await expect.poll(() => [...seen].sort()).toEqual(paths.sort());
    });

    connectionCases(stage, opened);
    recipeCases(stage, opened);
  });
}
