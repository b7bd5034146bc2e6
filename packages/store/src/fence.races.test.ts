import { testSchema } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StaleEpoch, StoreAway } from './index.ts';
import { type Actor, RaceStage } from './race-stage.ts';
import { changeOf, claimOrphans, commit, fieldsOf, joinMaster, NOW, startRuns } from './testing.ts';

describe('a fence against a write on PostgreSQL', () => {
  let stage: RaceStage;
  let dead: Actor;
  let other: Actor;
  let run: number;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    dead = await stage.join('dead');
    other = await stage.join('other');
    [run] = await startRuns(dead.store, dead.self);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const write = () => {
    const writing = commit(dead.store, dead.self, changeOf(run, { fields: fieldsOf('pausing') }));
    // It may be refused before the test looks at it.
    writing.catch(() => {});
    return writing;
  };
  const fence = (patience?: number) =>
    other.store.fence({
      self: other.self,
      peer: { id: 'dead', epoch: dead.self.epoch, beat: 0 },
      patience,
      now: NOW,
    });
  const stateOfRun = async () => (await other.store.readRun({ id: run }))?.run.state;

  it('waits for a write that is under way, and then frees the run with what was written', async () => {
    const stop = dead.stopBefore('COMMIT');
    const writing = write();
    await stop.reached;
    const fencing = fence(60_000);
    await stage.blocked(other.self);
    stop.release();
    await writing;
    expect(await fencing).toEqual({ fenced: true, runs: 1 });
    expect(await stateOfRun()).toBe('pausing');
    await expect(write()).rejects.toThrow(StaleEpoch);
  });

  it('ends two commits that are stuck beside each other, of which neither counts', async () => {
    const [second] = await startRuns(dead.store, dead.self);
    const stops: { release(): void }[] = [];
    const stuck = async (of: number) => {
      const stop = dead.stopBefore('COMMIT');
      const writing = commit(dead.store, dead.self, changeOf(of, { fields: fieldsOf('pausing') }));
      writing.catch(() => {});
      await stop.reached;
      stops.push(stop);
      return { writing };
    };
    const first = await stuck(run);
    const beside = await stuck(second);
    expect(await fence(20)).toEqual({ fenced: true, runs: 2 });
    for (const stop of stops) stop.release();
    await expect(first.writing).rejects.toMatchObject({ tag: 'store-away' });
    await expect(beside.writing).rejects.toMatchObject({ tag: 'store-away' });
    expect(await stateOfRun()).toBe('running');
    await expect(write()).rejects.toThrow(StaleEpoch);
  });

  it('refuses a write that began while the fence was under way', async () => {
    const stop = other.stopBefore('COMMIT');
    const fencing = fence();
    await stop.reached;
    const writing = write();
    await stage.blocked(dead.self);
    stop.release();
    await fencing;
    await expect(writing).rejects.toThrow(StaleEpoch);
    expect(await stateOfRun()).toBe('running');
  });

  it('refuses a write that slept before its first statement', async () => {
    const stop = dead.stopBefore('FOR SHARE');
    const writing = write();
    await stop.reached;
    expect((await fence()).fenced).toBe(true);
    stop.release();
    await expect(writing).rejects.toThrow(StaleEpoch);
    expect(await stateOfRun()).toBe('running');
  });

  it('ends the connection of a node that is frozen in a write, and undoes what it wrote', async () => {
    const stop = dead.stopBefore('COMMIT');
    const writing = write();
    await stop.reached;
    expect(await fence(20)).toEqual({ fenced: true, runs: 1 });
    stop.release();
    await expect(writing).rejects.toThrow(StoreAway);
    expect(await stateOfRun()).toBe('running');
    await expect(write()).rejects.toThrow(StaleEpoch);
    expect(await claimOrphans(other.store, other.self, 5)).toEqual([run]);
  });

  it('does not end connections of the same name and epoch in another schema', async () => {
    const elsewhere = new RaceStage(await testSchema());
    try {
      const twin = await elsewhere.join('dead');
      expect(twin.self).toEqual(dead.self);
      const [its] = await startRuns(twin.store, twin.self);
      const twinStop = twin.stopBefore('COMMIT');
      const unharmed = commit(twin.store, twin.self, changeOf(its, { fields: fieldsOf('pausing') }));
      const stop = dead.stopBefore('COMMIT');
      const writing = write();
      await Promise.all([stop.reached, twinStop.reached]);
      await fence(20);
      stop.release();
      twinStop.release();
      await expect(writing).rejects.toThrow(StoreAway);
      await expect(unharmed).resolves.toBeDefined();
    } finally {
      await elsewhere.close();
    }
  });

  it('gives a name to the process that joins later, although the earlier one is frozen in a write', async () => {
    const stop = dead.stopBefore('COMMIT');
    const writing = write();
    await stop.reached;
    const join = { id: 'dead', roles: ['master'], address: '', info: {}, patience: 20, now: NOW };
    expect(await other.store.joinNode(join)).toEqual({ epoch: dead.self.epoch + 1 });
    stop.release();
    await expect(writing).rejects.toThrow(StoreAway);
    await expect(write()).rejects.toThrow(StaleEpoch);
  });

  it('lets one of two nodes that fence each other win, never both', async () => {
    const [mine, its] = [await joinMaster(dead.store, 'dead'), await joinMaster(other.store, 'other')];
    const attack = (store: Actor['store'], self: typeof mine, peer: typeof mine) =>
      store
        .fence({ self, peer: { id: peer.node, epoch: peer.epoch, beat: 0 }, patience: 60_000, now: NOW })
        .then(
          ({ fenced }) => fenced,
          () => false,
        );
    const stop = dead.stopBefore('UPDATE node');
    const first = attack(dead.store, mine, its);
    await stop.reached;
    const second = attack(other.store, its, mine);
    await stage.blocked(its);
    stop.release();
    expect([await first, await second].sort()).toEqual([false, true]);
  });

  it('connects again after its connection was ended between writes', async () => {
    await write();
    await stage.terminate(dead.self);
    await commit(dead.store, dead.self, changeOf(run, { fields: fieldsOf('paused') }));
    expect(await stateOfRun()).toBe('paused');
  });

  it('says that the store is away when the connection ends during a statement, and then goes on', async () => {
    const stop = dead.stopBefore('INSERT INTO event');
    const writing = write();
    await stop.reached;
    await stage.terminate(dead.self);
    stop.release();
    await expect(writing).rejects.toMatchObject({ tag: 'store-away', unknown: false });
    expect(await stateOfRun()).toBe('running');
    await write();
    expect(await stateOfRun()).toBe('pausing');
  });

  it('says that nobody knows when the connection ends during the commit', async () => {
    const stop = dead.stopBefore('COMMIT');
    const writing = write();
    await stop.reached;
    await stage.terminate(dead.self);
    stop.release();
    await expect(writing).rejects.toMatchObject({ tag: 'store-away', unknown: true });
    await write();
    expect(await stateOfRun()).toBe('pausing');
  });

  it('reads again after the connections of readers were ended', async () => {
    expect(await stateOfRun()).toBe('running');
    await stage.terminate(other.self);
    const read = () => stateOfRun().catch((error) => error.tag);
    const answers = [await read(), await read()];
    expect(answers.at(-1)).toBe('running');
    expect(answers[0]).toMatch(/running|store-away/);
  });
});
