/** What readers of the feed may rely on, whatever was committed together and however they page. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestSchema, testSchema } from '@orrery/testkit/databases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CREATED,
  type FeedPosition,
  openPostgres,
  openSqliteThread,
  type Self,
  type Store,
} from '../../index.ts';
import { changeOf, commit, fieldsOf, joinMaster, startRuns } from '../../testing.ts';
import type { ReadEvent } from './feed.ts';
import { MOST_PACKED } from './packed-events.ts';

/** A store, and the same database as another node has it open. */
interface Pair {
  readonly name: string;
  open(): Promise<{ readonly store: Store; readonly other: Store }>;
  close(): Promise<void>;
}

function sqlitePair(): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-feed-'));
  let store: Store | undefined;
  return {
    name: 'sqlite',
    // It has one node; what it reads comes from a thread and a connection of their own.
    open: async () => {
      store = await openSqliteThread(join(folder, 'orrery.db'));
      return { store, other: store };
    },
    close: async () => {
      await store?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function postgresPair(): Pair {
  let schema: TestSchema | undefined;
  const stores: Store[] = [];
  return {
    name: 'postgres',
    open: async () => {
      schema = await testSchema();
      for (const name of ['writes', 'reads']) stores.push(await openPostgres({ ...schema.options, name }));
      const [store, other] = stores;
      return { store, other };
    },
    close: async () => {
      for (const store of stores) await store.close();
      await schema?.drop();
    },
  };
}

const RUNS = 6;
/** The changes of one commit: which run, and whether its row is written, which makes a new revision. */
const change = fc.record({ run: fc.nat(RUNS - 1), writes: fc.boolean() });
const commits = fc.array(fc.uniqueArray(change, { selector: ({ run }) => run, minLength: 1 }), {
  minLength: 1,
});

const pairs =
  process.env.ORRERY_TEST_DATABASES === 'sqlite' ? [sqlitePair()] : [sqlitePair(), postgresPair()];

describe.each(pairs)(
  'the feed on $name, read by another node while runs are committed',
  ({ open, close }) => {
    let store: Store;
    let other: Store;
    let self: Self;
    let runs: readonly number[];
    /** Of each run, as its owner counts them. */
    let revisions: number[];
    beforeAll(async () => {
      ({ store, other } = await open());
      self = await joinMaster(store);
      runs = await startRuns(store, self, RUNS);
      revisions = runs.map(() => CREATED);
    });
    afterAll(close);

    it('gives each event once, in order, and never before the revision that it tells of', async () => {
      let number = 0;
      const property = fc.asyncProperty(commits, fc.integer({ min: 1, max: 9 }), async (asked, limit) => {
        let { position } = await other.readFeed({ limit: 0 });
        const told: (readonly [run: number, body: string])[] = [];
        const heard: ReadEvent[] = [];
        const count = asked.reduce((sum, changes) => sum + changes.length, 0);
        // One after the other, as those of one run always are, while the other node reads.
        const written = (async () => {
          for (const changes of asked)
            await commit(
              store,
              self,
              ...changes.map(({ run, writes }) => {
                if (writes) revisions[run]++;
                const event = JSON.stringify({ number: ++number });
                told.push([runs[run], event]);
                return changeOf(runs[run], {
                  revision: revisions[run],
                  event,
                  ...(writes && { fields: fieldsOf('running') }),
                });
              }),
            );
        })();
        while (heard.length < count) {
          const page: { events: readonly ReadEvent[]; position: FeedPosition; resync: boolean } =
            await other.readFeed({ position, limit });
          expect(page.resync).toBe(false);
          position = page.position;
          heard.push(...page.events);
          const known = new Map(
            (await other.readRunsById({ ids: [...runs] })).runs.map(({ id, revision }) => [id, revision]),
          );
          for (const { subject, revision } of page.events)
            expect(known.get(subject)).toBeGreaterThanOrEqual(revision);
        }
        await written;
        expect((await other.readFeed({ position, limit })).events).toEqual([]);
        for (const run of runs) {
          const of = heard.filter(({ subject }) => subject === run);
          expect(of.map(({ body }) => body)).toEqual(
            told.filter(([id]) => id === run).map(([, body]) => body),
          );
          const seen = of.map(({ revision }) => revision);
          expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        }
      });
      await fc.assert(property, { numRuns: 40 });
    });

    it('pages through more events of one commit than a row holds', async () => {
      const many = await startRuns(store, self, MOST_PACKED + 3);
      const { position } = await other.readFeed({ limit: 0 });
      await commit(store, self, ...many.map((run) => changeOf(run, { event: `{"run":${run}}` })));
      const first = await other.readFeed({ position, limit: 2 });
      expect(first.events.map(({ subject }) => subject)).toEqual(many.slice(0, MOST_PACKED));
      const rest = await other.readFeed({ position: first.position, limit: 2 });
      expect(rest.events.map(({ subject }) => subject)).toEqual(many.slice(MOST_PACKED));
      expect((await other.readFeed({ position: rest.position, limit: 2 })).events).toEqual([]);
    });
  },
);
