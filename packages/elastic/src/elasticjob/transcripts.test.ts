/**
 * The recorded scenes of ElasticJob 3.0.5, played by our instances: the same entries with the same contents, and each
 * session in the same order wherever a Java instance could notice.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, realClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import { SETTLE } from '../board/seat.ts';
import {
  general,
  NEVER,
  readTranscript,
  readTree,
  type WriteRequest,
  writesOf,
} from '../testing/transcript.ts';
import { type ZooKeeperInstance, ZooKeeperStage } from '../testing/zookeeper-stage.ts';

/** The server of the recordings. */
const SERVER = '192.0.2.2';
const real = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});
/** Java divides the shards only when a round begins; ours do so on their own too, after this time. */
const clock: Clock = {
  ...real,
  setTimer: (delay, run) => (delay === SETTLE ? { cancel: () => {} } : real.setTimer(delay, run)),
};

interface Scene {
  readonly stage: ZooKeeperStage;
  /** Starts the instance that the recording knows by this process. */
  readonly start: (
    process: string,
    more?: Parameters<ZooKeeperStage['start']>[2],
  ) => Promise<ZooKeeperInstance>;
  /** What an instance wrote; requests for a round are not in recordings of a cron. */
  readonly wrote: (process: string) => string[];
}

/** Plays a scene on a stage of its own. */
function play(name: string, job: Record<string, unknown>, scene: (scene: Scene) => Promise<void>): void {
  it.concurrent(name, async () => {
    const stage = await ZooKeeperStage.open({ clock, uuid: () => randomUUID() });
    const shared = stage.job({ cron: NEVER, ...job });
    try {
      await scene({
        stage,
        start: (process, more) => stage.start(SERVER, shared, { ...more, process }),
        wrote: (process) =>
          withoutTriggers(
            writesOf(
              stage.requests.filter(({ failed }) => !failed),
              process,
            ),
          ),
      });
    } finally {
      await stage.close();
    }
  });
}

const withoutTriggers = (texts: readonly string[]) => texts.filter((text) => !text.includes('/job/trigger'));
const marked = (stage: ZooKeeperStage) => async () => (await stage.get('leader/sharding/necessary')) === '';
const led = (stage: ZooKeeperStage, process: string) => async () =>
  (await stage.get('leader/election/instance')) === `${SERVER}@-@${process}`;
/** The part of a recording up to a text in one of its requests. */
function until(requests: readonly WriteRequest[], by: string, text: string): string[] {
  const own = writesOf(requests, by);
  const end = own.findIndex((one) => one.includes(text));
  if (end < 0) throw new Error(`the recording has no "${text}"`);
  return own.slice(0, end);
}
/** Texts about one shard, each step on its own. */
const about = (texts: readonly string[], shard: number) =>
  texts
    .flatMap((text) => text.split('\n'))
    .filter((text) => new RegExp(`/(sharding|items)/${shard}(/| )`).test(text));

describe('the recorded scene', () => {
  play(
    'of a single instance, from its start to its end',
    { shards: 3, shardParameters: '0=Beijing,1=Shanghai,2=Guangzhou' },
    async ({ stage, start, wrote }) => {
      const recorded = readTranscript('txn-ns1-single-instance');
      const a = await start('29792');
      await stage.until(marked(stage));
      for (let round = 0; round < 3; round++) await stage.round(3);
      await a.runner.stop();
      expect(wrote('29792')).toEqual(writesOf(recorded, recorded[0].by));
    },
  );

  play(
    'of two instances, one of which is killed at work: failover',
    { shards: 4, failover: true },
    async ({ stage, start, wrote }) => {
      const recorded = readTranscript('txn-ns2-two-instances-failover-kill9');
      await start('30837');
      await stage.until(marked(stage));
      const b = await start('30868');
      await stage.round(4);
      stage.hold();
      await stage.triggerAll();
      await stage.until(() => stage.ran.length === 8);
      expect((await stage.tree()).map(general)).toEqual(readTree('tree-ns2-two-instances-running'));
      const before = wrote('30837').length;
      await b.expire(true);
      await stage.until(() => stage.ran.length === 10);
      stage.release();
      await stage.until(async () => (await stage.running()).length === 0);
      const [theirs, ours] = [writesOf(recorded, 's0006'), wrote('30837')];
      const killed = theirs.findLastIndex(
        (text) => text.startsWith('persistent') && text.includes('/necessary'),
      );
      expect(ours.slice(0, before)).toEqual(theirs.slice(0, killed));
      expect(wrote('30868').slice(0, 6)).toEqual(writesOf(recorded, 's0007').slice(0, 6));
      // Java takes one shard after the other, ours takes both: each shard sees the same.
      for (const shard of [0, 1]) {
        const own = about(theirs.slice(killed), shard).filter((text) => !text.includes('misfire'));
        expect(about(ours.slice(before), shard)).toEqual(own);
      }
      const sets = [theirs, ours].map((texts) => new Set(texts.flatMap((text) => text.split('\n'))));
      expect([...sets[1]].filter((text) => !sets[0].has(text))).toEqual([]);
    },
  );

  play(
    'of a killed leader, a server that is disabled and enabled, and fewer shards',
    { shards: 4 },
    async ({ stage, start, wrote }) => {
      const recorded = readTranscript('txn-ns3-leader-kill9-disable-enable-scale-in-unknown-config-key');
      const a = await start('31117');
      await stage.until(marked(stage));
      const b = await start('31148');
      await stage.round(4);
      await stage.set(`trigger/${b.runner.instance}`, '');
      await stage.until(() => stage.ran.length === 6);
      await stage.until(async () => (await stage.running()).length === 0);
      await a.expire(true);
      await stage.until(led(stage, '31148'));
      await stage.until(marked(stage));
      await stage.round(4);
      await stage.set(`servers/${SERVER}`, 'DISABLED');
      await stage.until(async () => (await stage.get('leader/election/instance')) === undefined);
      await stage.set(`servers/${SERVER}`, 'ENABLED');
      await stage.until(led(stage, '31148'));
      await stage.until(marked(stage));
      await stage.round(4);
      const config = (await stage.get('config')) ?? '';
      await stage.set('config', config.replace('shardingTotalCount: 4', 'shardingTotalCount: 2'));
      await stage.until(marked(stage));
      for (let round = 0; round < 2; round++) await stage.round(2);
      await b.runner.stop();
      expect(wrote('31148')).toEqual(writesOf(recorded, 's000b'));
      const theirs = writesOf(recorded, 's000a');
      expect(wrote('31117').slice(0, theirs.length)).toEqual(theirs);
    },
  );

  play(
    'of a job without cron that is triggered',
    { shards: 3, cron: undefined },
    async ({ stage, start }) => {
      const recorded = readTranscript('txn-ns4-oneoff-trigger-two-instances');
      await start('31725');
      await stage.until(marked(stage));
      await start('31756');
      const operator = await stage.jobOperator();
      await operator.trigger('job', {});
      await stage.until(() => stage.ran.length === 3);
      await stage.until(async () => (await stage.running()).length === 0);
      const made = stage.requests.filter(({ failed }) => !failed);
      // There the second instance asked for the round.
      const isRequest = (text: string) => /^persistent \S+\/trigger/.test(text);
      const second = writesOf(recorded, 's0011');
      expect(writesOf(made, 'operator')).toEqual(second.filter(isRequest));
      expect(writesOf(made, '31725')).toEqual(
        until(recorded, 's0010', 'delete /<ns>/job/leader/election/instance'),
      );
      expect(writesOf(made, '31756')).toEqual(second.slice(0, -2).filter((text) => !isRequest(text)));
    },
  );

  play('of a job that compares clocks', { shards: 2, maxTimeDiff: '5s' }, async ({ stage, start, wrote }) => {
    const recorded = readTranscript('txn-ns6-max-time-diff-and-failing-item-3.0.5');
    const a = await start('31758');
    await stage.until(marked(stage));
    for (let round = 0; round < 3; round++) await stage.round(2);
    await a.runner.stop();
    const isTime = (text: string) => text.includes('/systemTime');
    const [theirs, ours] = [writesOf(recorded, 's0012'), wrote('31758')];
    expect(ours.filter((text) => !isTime(text))).toEqual(theirs.filter((text) => !isTime(text)));
    // Ours asks once more: at the start, whether the registry has a clock.
    const times = theirs.filter(isTime);
    expect(ours.filter(isTime)).toEqual([...times, times.at(-1)]);
  });

  play(
    'of a leader that ends while its shards run',
    { shards: 4, failover: true },
    async ({ stage, start, wrote }) => {
      const recorded = readTranscript('txn-ns12-sigterm-leader-while-running-failover');
      const a = await start('3886');
      await stage.until(marked(stage));
      await start('3918');
      stage.hold();
      await stage.triggerAll();
      await stage.until(() => stage.ran.length === 4);
      const stopped = a.runner.stop();
      stage.release();
      await stopped;
      await stage.until(led(stage, '3918'));
      await stage.until(marked(stage));
      await stage.round(4);
      expect(wrote('3886')).toEqual(writesOf(recorded, 's0020'));
      const theirs = writesOf(recorded, 's0021');
      const ours = wrote('3918');
      expect(ours).toEqual(theirs.slice(0, ours.length));
      expect(ours.at(-1)).toContain('delete /<ns>/job/sharding/3/running');
    },
  );

  play(
    'of missed ticks: the same entries, made up for at once and not a period later',
    { shards: 1, cron: '* * * * * ?' },
    async ({ stage, start, wrote }) => {
      const recorded = readTranscript('txn-ns5-misfire-2s-cron-5s-job');
      stage.hold();
      await start('31757');
      await stage.until(async () => (await stage.get('sharding/0/misfire')) === '');
      const before = wrote('31757').length;
      stage.release();
      await stage.until(() => stage.ran.length >= 2);
      expect(wrote('31757').slice(0, before)).toEqual([
        ...until(recorded, 's0013', 'delete /<ns>/job/sharding/0/running'),
        "persistent /<ns>/job/sharding/0/misfire = ''",
      ]);
      await stage.until(() => wrote('31757').length >= before + 3);
      expect(wrote('31757').slice(before, before + 3)).toEqual(writesOf(recorded, 's0013').slice(-6, -3));
    },
  );

  play('of listeners that are called once per cluster', { shards: 2 }, async ({ stage, start, wrote }) => {
    const recorded = readTranscript('txn-ns9-distribute-once-listener');
    const options = { listeners: { beforeOnce: () => {}, afterOnce: () => {} } };
    await start('1385', { options });
    await stage.until(marked(stage));
    await start('1416', { options });
    const over = async () => (await stage.children('guarantee')).every((name) => name.endsWith('latch'));
    for (let round = 0; round < 2; round++) {
      await stage.round(2);
      await stage.until(over);
    }
    // Which instance is the last differs from run to run, in the recording too.
    const sets = [
      ['s0018', 's001a'].flatMap((by) => writesOf(recorded, by)),
      ['1385', '1416'].flatMap(wrote),
    ].map((texts) => [...new Set(texts.filter((text) => text.includes('/guarantee')))].sort());
    expect(sets[1]).toEqual(sets[0]);
  });

  play(
    'of a foreign instance that is given shards; one that cannot be read costs the others nothing',
    { shards: 5 },
    async ({ stage, start }) => {
      await start('418');
      const foreign = async (id: string, text: string) => {
        await stage.set(`servers/${id.split('@-@')[0]}`, 'ENABLED');
        await stage.set(`instances/${id}`, text);
        await stage.until(marked(stage));
      };
      await foreign('10.9.9.9@-@77', '{"jobInstanceId":"10.9.9.9@-@77","serverIp":"10.9.9.9"}');
      await stage.round(3);
      const mine = `${SERVER}@-@418`;
      const other = '10.9.9.9@-@77';
      expect(await stage.owners(5)).toEqual([mine, mine, other, other, mine]);
      // Here Java stops the job.
      await stage.operator.delete(`${stage.root}/instances/${other}`);
      await stage.until(marked(stage));
      await foreign('10.9.9.9@-@78', 'jobInstanceId: 10.9.9.9@-@78\nserverIp: 10.9.9.9\nlang: [');
      await stage.round(5);
      expect(await stage.owners(5)).toEqual([mine, mine, mine, mine, mine]);
    },
  );
});
