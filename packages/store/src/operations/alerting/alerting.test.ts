import { previewRule } from '@orrery/core/alert';
import { type AlertRuleFile, ruleSchema } from '@orrery/core/alert/schema';
import { testDatabases } from '@orrery/testkit/databases';
import { isFull } from '@orrery/testkit/tier';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  workflowOf,
} from '../../testing.ts';

const MINUTE = 60_000;

describe.each(testDatabases())('alerts on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let workflow: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    workflow = await publish(store);
  });
  afterAll(close);

  async function setRule(more: Partial<AlertRuleFile> = {}, project = 'default') {
    const rule = ruleSchema.parse({
      name: 'failures',
      channels: ['mail'],
      match: { kinds: ['run-failed'] },
      ...more,
    });
    await store.setAlertRule({ project, rule, by: 'ann', now: NOW });
  }

  /** Ends a run of the workflow as its owner would. */
  async function end(state: 'failed' | 'success', businessTime = 7, now = NOW) {
    const command = commandOf(workflow);
    const request = { ...command.request, businessTime };
    const { run } = await store.submitCommand({ command: { ...command, request }, now });
    await claimStarts(store, self, 1);
    const about = { workflow, project: 'default', name: 'w', run };
    await commit(
      store,
      self,
      changeOf(run, {
        fields: fieldsOf(state),
        endedAt: now,
        release: true,
        fact: { workflow, businessTime, round: 1, state, tasks: '{}', counts: true },
        ending: { round: 1, project: 'default', name: 'w', state, businessTime, outputs: '{}', chain: 0 },
        alerts:
          state === 'failed'
            ? [{ ...about, kind: 'run-failed', text: 'connection refused', from: businessTime, to: null }]
            : [],
      }),
    );
    return run;
  }

  async function pass(now: number) {
    await store.routeAlerts({ self, limit: 100, now });
    await store.passAlertGroups({ self, limit: 100, now });
    return await store.leaseDeliveries({ self, limit: 100, until: now + MINUTE, now });
  }

  it('are told once, however often they are routed, and their end is told', async () => {
    await setRule();
    await store.setAlertChannel({
      project: 'default',
      name: 'mail',
      kind: 'webhook',
      settings: { url: 'x' },
      by: 'ann',
      now: NOW,
    });
    const run = await end('failed');
    const [first, ...others] = await pass(NOW);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      channel: 'mail',
      to: { kind: 'webhook', settings: { url: 'x' } },
      tries: 1,
      origin: expect.stringMatching(/^[0-9a-f]{8}$/),
      doubled: false,
      message: {
        reason: 'new',
        count: 1,
        subjects: [{ kind: 'run-failed', run, text: 'connection refused' }],
      },
    });
    await store.recordTries({
      self,
      results: [{ id: first.id, number: 1, state: 'sent', answer: '200', took: 5 }],
      now: NOW,
    });
    expect(await pass(NOW + MINUTE)).toEqual([]);
    await end('success', 8, NOW + 2 * MINUTE);
    expect(await pass(NOW + 3 * MINUTE)).toEqual([]);
    const [over] = await pass(NOW + 5 * MINUTE);
    expect(over.message).toMatchObject({ reason: 'resolve', group: first.message.group });
    expect(await store.listAlertGroups({ open: true, limit: 10 })).toEqual([]);
    expect(await store.listTries({ delivery: first.id })).toMatchObject([
      { number: 1, state: 'sent', answer: '200' },
    ]);
  });

  it('of one rule and workflow are one message, of a storm too', async () => {
    await setRule();
    for (let k = 0; k < 30; k++) await end('failed', k);
    expect(await pass(NOW)).toMatchObject([{ message: { count: 30 } }]);
  });

  it('of many thousand equal failures are a handful of messages', async () => {
    await setRule();
    const [storm, step] = [isFull ? 100_000 : 2_000, 500];
    const about = { workflow, project: 'default', name: 'w', run: null, from: 7, to: null };
    const { run } = await store.submitCommand({ command: commandOf(workflow), now: NOW });
    await claimStarts(store, self, 1);
    let messages = 0;
    for (let k = 0; k < storm; k += step) {
      const alerts = Array.from(
        { length: step },
        () => ({ ...about, kind: 'run-failed', text: 'x' }) as const,
      );
      await commit(store, self, changeOf(run, { alerts }));
      await store.routeAlerts({ self, limit: step, now: NOW + k });
      const { written } = await store.passAlertGroups({ self, limit: 100, now: NOW + k });
      messages += written;
    }
    expect(messages).toBe(1);
    expect(await store.listAlertGroups({ limit: 10 })).toMatchObject([{ count: storm }]);
    await store.passAlertGroups({ self, limit: 100, now: NOW + storm + 5 * MINUTE });
    expect(await store.listDeliveries({ limit: 10 })).toMatchObject([
      { message: { reason: 'more', count: storm } },
      { message: { reason: 'new' } },
    ]);
  }, 300_000);

  it('of a workflow that fails and recovers in turns are told by delay only if they last', async () => {
    await setRule({ delay: '5m' });
    for (let k = 0; k < 6; k++) {
      const now = NOW + k * 2 * MINUTE;
      await end('failed', k, now);
      expect(await pass(now)).toEqual([]);
      await end('success', k, now + MINUTE);
      expect(await pass(now + MINUTE)).toEqual([]);
    }
    expect(await pass(NOW + 60 * MINUTE)).toEqual([]);
    await end('failed', 9, NOW + 60 * MINUTE);
    await pass(NOW + 60 * MINUTE);
    expect(await pass(NOW + 66 * MINUTE)).toMatchObject([{ message: { reason: 'new' } }]);
  });

  it('of a workflow that fails and recovers every minute are a handful of messages', async () => {
    await setRule();
    const reasons: string[] = [];
    for (let k = 0; k <= 12; k++) {
      const now = NOW + k * MINUTE;
      await end(k % 2 === 0 ? 'failed' : 'success', k, now);
      const leased = await pass(now);
      reasons.push(...leased.map(({ message }) => message.reason));
      const results = leased.map(
        ({ id, tries }) => ({ id, number: tries, state: 'sent', answer: '', took: 1 }) as const,
      );
      await store.recordTries({ self, results, now });
    }
    expect(reasons).toEqual(['new', 'resolve', 'new', 'resolve', 'new']);
  });

  it('of late ticks every minute are one message in five minutes', async () => {
    await setRule({ match: { kinds: ['tick-late'] } });
    const about = { workflow, project: 'default', name: 'w', run: null, from: 7, to: null };
    const { run } = await store.submitCommand({ command: commandOf(workflow), now: NOW });
    await claimStarts(store, self, 1);
    let messages = 0;
    for (let k = 0; k < 12; k++) {
      await commit(store, self, changeOf(run, { alerts: [{ ...about, kind: 'tick-late', text: 'x' }] }));
      await store.routeAlerts({ self, limit: 10, now: NOW + k * MINUTE });
      // Looked at between two ticks too: nothing is new then.
      for (const now of [NOW + k * MINUTE, NOW + k * MINUTE + MINUTE / 2])
        messages += (await store.passAlertGroups({ self, limit: 10, now })).written;
    }
    expect(messages).toBe(3);
  });

  it('of a rule that was disabled are over without a message', async () => {
    await setRule({ repeat: '10m' });
    await end('failed');
    expect(await pass(NOW)).toHaveLength(1);
    await setRule({ repeat: '10m', enabled: false });
    expect(await store.passAlertGroups({ self, limit: 100, now: NOW + 20 * MINUTE })).toMatchObject({
      written: 0,
    });
    expect(await store.listAlertGroups({ open: true, limit: 10 })).toEqual([]);
  });

  it('that wait for the end of quiet hours are sent when the rule has none any more', async () => {
    await setRule({ quiet: { from: '00:00', to: '23:00' } });
    await end('failed');
    expect(await pass(NOW)).toEqual([]);
    await setRule();
    expect(await pass(NOW + 1)).toHaveLength(1);
  });

  it('of a workflow that was deleted are over', async () => {
    await setRule();
    await end('failed');
    expect(await pass(NOW)).toHaveLength(1);
    await store.deleteWorkflow({ project: 'default', name: 'flow', now: NOW + MINUTE });
    const told = await store.passAlertGroups({ self, limit: 100, now: NOW + 6 * MINUTE });
    expect(told).toMatchObject({ written: 1 });
    expect(await store.listAlertGroups({ open: true, limit: 10 })).toEqual([]);
  });

  it('that come while a mute ends are one message with what it kept back', async () => {
    await setRule();
    const until = NOW + 10 * MINUTE;
    const mute = { project: 'default', match: { names: ['w'] }, reason: 'maintenance', by: 'ann', now: NOW };
    await store.setAlertMute({ ...mute, until });
    for (let k = 0; k < 5; k++) {
      await end('failed', k, NOW + k * MINUTE);
      expect(await pass(NOW + k * MINUTE)).toEqual([]);
    }
    expect(await pass(until - 1)).toEqual([]);
    await end('failed', 9, until);
    expect(await pass(until)).toMatchObject([{ message: { reason: 'new', count: 6 } }]);
  });

  it('on their way to a channel that is deleted are tried without it, and stay listed', async () => {
    await setRule();
    const channel = { project: 'default', name: 'mail', by: 'ann', now: NOW };
    await store.setAlertChannel({ ...channel, kind: 'webhook', settings: { url: 'x' } });
    await end('failed');
    const [first] = await pass(NOW);
    expect(first.to).toBeDefined();
    await store.deleteAlertChannel(channel);
    const later = NOW + 2 * MINUTE;
    const again = {
      id: first.id,
      number: 1,
      state: 'again',
      answer: '500',
      took: 1,
      nextTry: later,
    } as const;
    await store.recordTries({ self, results: [again], now: NOW });
    const [second] = await pass(later);
    expect(second).toMatchObject({ id: first.id, tries: 2, to: undefined });
    const over = {
      id: first.id,
      number: 2,
      state: 'failed',
      answer: 'channel mail does not exist',
      took: 1,
    } as const;
    await store.recordTries({ self, results: [over], now: later });
    expect(await store.listDeliveries({ state: 'failed', limit: 10 })).toMatchObject([
      { id: first.id, answer: 'channel mail does not exist' },
    ]);
  });

  it('switch off the channel that is gone, and not another of its name', async () => {
    await setRule();
    for (const project of ['default', '*'])
      await store.setAlertChannel({
        project,
        name: 'mail',
        kind: 'webhook',
        settings: {},
        by: 'ann',
        now: NOW,
      });
    const gone = async () => {
      await end('failed');
      const [{ id, tries }] = await pass(NOW);
      const result = { id, number: tries, state: 'failed', answer: '410', took: 1, disable: '410' } as const;
      await store.recordTries({ self, results: [result], now: NOW });
      const channels = await store.listAlertChannels();
      return channels.map(({ project, disabled }) => [project, disabled]).sort();
    };
    expect(await gone()).toEqual([
      ['*', null],
      ['default', '410'],
    ]);
  });

  it('go to no rule of another project, and to a rule for all projects', async () => {
    await setRule({ name: 'theirs' }, 'other');
    await setRule({ name: 'all' }, '*');
    await end('failed');
    expect(await pass(NOW)).toMatchObject([{ project: '*', message: { rule: 'all' } }]);
  });

  it('wait while a mute lasts, and are told when it is ended early', async () => {
    await setRule();
    const id = await store.setAlertMute({
      project: 'default',
      match: { names: ['w'] },
      until: NOW + 60 * MINUTE,
      reason: 'maintenance',
      by: 'ann',
      now: NOW,
    });
    await end('failed');
    expect(await pass(NOW)).toEqual([]);
    expect(await store.endAlertMute({ id, project: 'other', by: 'eve', now: NOW })).toBe(false);
    expect(await store.endAlertMute({ id, project: 'default', by: 'ann', now: NOW + MINUTE })).toBe(true);
    expect(await pass(NOW + MINUTE)).toHaveLength(1);
  });

  it('of a workflow with a tag are muted by it, and those of others are not', async () => {
    const tagged = { ...workflowOf('tagged'), tags: ['nightly'] };
    const version = { workflow: tagged, hash: 'h', source: '', note: '', author: 'ann', due: {}, now: NOW };
    workflow = (await store.publishWorkflow(version)).id;
    await setRule();
    const mute = { project: 'default', until: NOW + MINUTE, reason: 'known', by: 'ann', now: NOW };
    await store.setAlertMute({ ...mute, match: { tags: ['hourly'] } });
    await store.setAlertMute({ ...mute, match: { tags: ['nightly'] } });
    await end('failed');
    expect(await pass(NOW)).toEqual([]);
    expect(await pass(NOW + MINUTE)).toHaveLength(1);
  });

  it('to a channel that does not answer keep no other channel waiting', async () => {
    for (const channel of ['slow', 'slow', 'slow', 'slow', 'quick'])
      await store.testAlertChannel({
        project: '*',
        channel,
        message: { group: 0, rule: '', reason: 'test', since: NOW, count: 0, subjects: [] },
        now: NOW,
      });
    const lease = (sending: Record<string, number>) =>
      store.leaseDeliveries({ self, limit: 3, perChannel: 2, sending, until: NOW + MINUTE, now: NOW });
    const namesOf = (list: readonly { readonly channel: string }[]) => list.map(({ channel }) => channel);
    expect(namesOf(await lease({}))).toEqual(['slow', 'slow', 'quick']);
    expect(namesOf(await lease({ slow: 2 }))).toEqual([]);
    expect(namesOf(await lease({ slow: 1 }))).toEqual(['slow']);
    expect(namesOf(await lease({}))).toEqual(['slow']);
    expect((await store.listDeliveries({ limit: 9 })).map(({ tries }) => tries)).toEqual([1, 1, 1, 1, 1]);
  });

  it('of successes are raised only where a rule asks for them', async () => {
    await end('success');
    expect(await store.listAlerts({ after: 0, limit: 10 })).toEqual([]);
    await setRule({ match: { kinds: ['run-succeeded'] } });
    const run = await end('success', 8);
    expect(await pass(NOW)).toMatchObject([{ message: { subjects: [{ kind: 'run-succeeded', run }] } }]);
    // It does not last: nothing follows.
    expect(await pass(NOW + 10 * MINUTE)).toHaveLength(1);
    expect(await store.listAlertGroups({ open: true, limit: 10 })).toEqual([]);
  });

  it('that are not answered for are tried again, marked as perhaps doubled', async () => {
    await setRule();
    await end('failed');
    const [first] = await pass(NOW);
    expect(await pass(NOW + 1_000)).toEqual([]);
    const [again] = await pass(NOW + MINUTE);
    expect(again).toMatchObject({ id: first.id, tries: 2, doubled: true });
    // The answer to the first try comes late: it changes nothing but its own record.
    const late = { id: first.id, number: 1, state: 'failed', answer: '500', took: 9 } as const;
    await store.recordTries({ self, results: [late], now: NOW + MINUTE });
    expect(await store.listDeliveries({ limit: 10 })).toMatchObject([
      { id: first.id, state: 'waiting', doubled: 1 },
    ]);
  });

  it('that cannot be delivered are raised themselves, once', async () => {
    await setRule({ match: {} });
    await end('failed');
    const fail = async (now: number) => {
      const leased = await pass(now);
      const results = leased.map(
        ({ id, tries }) => ({ id, number: tries, state: 'failed', answer: 'gone', took: 1 }) as const,
      );
      await store.recordTries({ self, results, now });
      return leased;
    };
    expect(await fail(NOW)).toHaveLength(1);
    const [about, ...others] = await fail(NOW + 1);
    expect(others).toEqual([]);
    expect(about.message.subjects).toMatchObject([{ kind: 'undelivered', name: 'mail' }]);
    expect(await fail(NOW + 2)).toEqual([]);
    expect(await store.listDeliveries({ state: 'failed', limit: 10 })).toHaveLength(2);
    expect(await store.readUndelivered({ since: NOW })).toMatchObject({
      failed: 2,
      channel: 'mail',
      answer: 'gone',
      waitingSince: null,
    });
    expect(await store.readUndelivered({ since: NOW, project: 'other' })).toMatchObject({ failed: 0 });
    expect(await store.retryDelivery({ id: about.id, now: NOW + 3 })).toBe(true);
    expect(await pass(NOW + 3)).toMatchObject([{ id: about.id }]);
  });

  it('of a rule that was deleted are over without a message', async () => {
    await setRule({ delay: '5m' });
    await end('failed');
    expect(await pass(NOW)).toEqual([]);
    expect(await store.deleteAlertRule({ project: 'default', name: 'failures', by: 'ann', now: NOW })).toBe(
      true,
    );
    expect(await pass(NOW + 10 * MINUTE)).toEqual([]);
  });

  it('about lost nodes are raised with the loss', async () => {
    await setRule({ match: { kinds: ['master-lost'] } }, '*');
    await store.joinNode({ id: 'm9', roles: ['master'], address: 'a', info: {}, now: NOW });
    await store.fence({ self, peer: { id: 'm9', epoch: 1, beat: 0 }, now: NOW });
    expect(await pass(NOW)).toMatchObject([{ message: { subjects: [{ kind: 'master-lost', name: 'm9' }] } }]);
    await store.joinNode({ id: 'm9', roles: ['master'], address: 'a', info: {}, now: NOW + 1 });
    expect(await pass(NOW + 5 * MINUTE)).toMatchObject([
      { message: { reason: 'new' } },
      { message: { reason: 'resolve' } },
    ]);
  });

  it('of the past have an end, so that a rule can be played to them', async () => {
    await end('failed', 7);
    await end('success', 8);
    await end('failed', 9);
    for (const now of [NOW, NOW + 10 * MINUTE]) {
      const { epoch } = await store.joinNode({ id: 'm9', roles: ['master'], address: 'a', info: {}, now });
      await store.fence({ self, peer: { id: 'm9', epoch, beat: 0 }, now });
    }
    const past = await store.listPastAlerts({ since: 0, limit: 10 });
    expect(past.filter(({ kind }) => kind === 'run-failed')).toMatchObject([
      { at: NOW, endedAt: NOW },
      { endedAt: null },
    ]);
    expect(past.filter(({ kind }) => kind === 'master-lost')).toMatchObject([
      { at: NOW, endedAt: NOW + 10 * MINUTE - 1 },
      { at: NOW + 10 * MINUTE, endedAt: null },
    ]);
    const rule = ruleSchema.parse({
      name: 'r',
      channels: ['ops'],
      match: { kinds: ['master-lost'] },
      delay: '2m',
    });
    expect(previewRule(rule, past)).toMatchObject({ matched: 2, fired: 2 });
  });

  it('are acknowledged once', async () => {
    await setRule();
    await end('failed');
    const [{ message }] = await pass(NOW);
    expect(await store.acknowledgeAlert({ id: message.group, by: 'ann', now: NOW })).toBe(true);
    expect(await store.acknowledgeAlert({ id: message.group, by: 'bob', now: NOW })).toBe(false);
    expect(await store.listAlertGroups({ limit: 1 })).toMatchObject([{ ackBy: 'ann', state: 'firing' }]);
  });

  it('are deleted with their messages when they are old and over, and not before', async () => {
    await setRule();
    await end('failed');
    const [{ id }] = await pass(NOW);
    const later = NOW + 100 * MINUTE;
    await store.sweepHistory({ before: later, limit: 100 });
    expect(await store.listAlertGroups({ limit: 10 })).toHaveLength(1);
    expect(await store.listDeliveries({ limit: 10 })).toMatchObject([{ id, state: 'waiting' }]);
    await store.recordTries({
      self,
      results: [{ id, number: 1, state: 'sent', answer: '', took: 1 }],
      now: NOW,
    });
    await end('success', 8, NOW + 1);
    const [over] = await pass(NOW + 5 * MINUTE);
    await store.recordTries({
      self,
      results: [{ id: over.id, number: 1, state: 'sent', answer: '', took: 1 }],
      now: NOW,
    });
    await store.sweepHistory({ before: later, limit: 100 });
    expect(await store.listAlertGroups({ limit: 10 })).toEqual([]);
    expect(await store.listDeliveries({ limit: 10 })).toEqual([]);
    expect(await store.listTries({ delivery: id })).toEqual([]);
  });

  it('make a beat ask for them', async () => {
    expect((await store.beat({ self, now: NOW })).nextAlert).toBeNull();
    await setRule({ delay: '5m' });
    await end('failed');
    expect((await store.beat({ self, now: NOW })).nextAlert).toBe(0);
    await pass(NOW);
    expect((await store.beat({ self, now: NOW })).nextAlert).toBe(NOW + 5 * MINUTE);
  });
});
