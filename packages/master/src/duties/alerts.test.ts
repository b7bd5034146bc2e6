import { ruleSchema } from '@orrery/core/alert/schema';
import type { LeasedDelivery } from '@orrery/store';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { expect, it } from 'vitest';

it('a run that fails is told by the rules that match it, and its recovery too', async () => {
  let fails = true;
  const sent: LeasedDelivery[] = [];
  const engine = await Engine.start(
    () => ({ after: 10, ...(fails ? { state: 'failed', error: 'no route to host' } : { state: 'success' }) }),
    {},
    {
      sendDelivery: async (delivery) => {
        sent.push(delivery);
        return { id: delivery.id, number: delivery.tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'failures', match: { kinds: ['run-failed'] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: 'default', rule, by: 'ann', now: engine.clock.now() });
  const definition = workflow([task('a')], { name: 'orders' });
  const run = await engine.submit(definition);
  await engine.pass(5_000);
  expect((await engine.states(run)).run).toBe('failed');
  expect(
    sent.map(({ message }) => [message.reason, message.subjects[0].run, message.subjects[0].text]),
  ).toEqual([['new', run, 'no route to host']]);
  fails = false;
  await engine.submit(definition);
  await engine.pass(6 * 60_000);
  expect(sent.map(({ message }) => message.reason)).toEqual(['new', 'resolve']);
});

it.each([
  ['task-failed', ['new'], 'task a: no route to host'],
  ['run-failed', ['new'], 'no route to host'],
])('a rule for %s hears of it once, after the last retry', async (kind, reasons, text) => {
  const sent: LeasedDelivery[] = [];
  const engine = await Engine.start(
    () => ({ after: 10, state: 'failed', error: 'no route to host' }),
    {},
    {
      sendDelivery: async (delivery) => {
        sent.push(delivery);
        return { id: delivery.id, number: delivery.tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'r', match: { kinds: [kind] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: 'default', rule, by: 'ann', now: engine.clock.now() });
  const retried = task('a', { retry: { max: 2, delay: 1_000 } } as never);
  await engine.submit(workflow([retried], { name: 'orders' }));
  await engine.pass(20_000);
  expect(sent.map(({ message }) => message.reason)).toEqual(reasons);
  expect(sent[0].message.subjects[0]).toMatchObject({ kind, name: 'orders', text });
});

it('an approval that waits is told, and that somebody answered', async () => {
  const sent: LeasedDelivery[] = [];
  const engine = await Engine.start(
    { after: 10 },
    {},
    {
      sendDelivery: async (delivery) => {
        sent.push(delivery);
        return { id: delivery.id, number: delivery.tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'r', match: { kinds: ['approval-waiting'] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: 'default', rule, by: 'ann', now: engine.clock.now() });
  const ask = task('ask', { type: 'approval', with: { message: 'go on?', fields: {}, onNo: 'fail' } });
  const run = await engine.submit(workflow([ask, task('work', { needs: ['ask'] })], { name: 'gate' }));
  await engine.pass(10_000);
  expect(sent.map(({ message }) => message.subjects[0])).toMatchObject([
    { kind: 'approval-waiting', name: 'gate', run, text: 'ask: go on?' },
  ]);
  await engine.store.answerApproval({
    run,
    control: { type: 'answer', task: 'ask', round: 1, answer: 'yes', values: {}, by: 'ann' },
    now: engine.clock.now(),
  });
  await engine.pass(6 * 60_000);
  expect(sent.map(({ message }) => message.reason)).toEqual(['new', 'resolve']);
});

it('an attempt that no worker can take is told while it waits', async () => {
  const sent: LeasedDelivery[] = [];
  const engine = await Engine.start(
    () => ({ after: 10, state: 'success' }),
    {},
    {
      sendDelivery: async (delivery) => {
        sent.push(delivery);
        return { id: delivery.id, number: delivery.tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'r', match: { kinds: ['no-worker'] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: '*', rule, by: 'ann', now: engine.clock.now() });
  await engine.submit(workflow([task('a', { workerGroup: 'gpu' } as never)], { name: 'orders' }));
  await engine.pass(90_000);
  expect(sent.map(({ message }) => message.subjects[0])).toMatchObject([{ kind: 'no-worker', name: 'gpu' }]);
});

it.each([
  [
    'task-timeout',
    workflow([task('a', { timeout: { after: 60_000, action: 'warn' } })], { name: 'daily' }),
    true,
  ],
  ['run-timeout', workflow([task('a')], { name: 'daily', timeout: { after: 60_000, action: 'warn' } }), true],
  ['run-succeeded', workflow([task('a')], { name: 'daily' }), false],
])('a rule for %s hears of it, and of its end where it lasts', async (kind, definition, lasts) => {
  const sent: LeasedDelivery[] = [];
  const engine = await Engine.start(
    () => ({ after: 120_000, state: 'success' }),
    {},
    {
      sendDelivery: async (delivery) => {
        sent.push(delivery);
        return { id: delivery.id, number: delivery.tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'r', match: { kinds: [kind] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: 'default', rule, by: 'ann', now: engine.clock.now() });
  await engine.submit(definition);
  await engine.pass(600_000);
  expect(sent.map(({ message }) => message.reason)).toEqual(lasts ? ['new', 'resolve'] : ['new']);
  expect(sent[0].message.subjects).toMatchObject([{ kind, name: 'daily' }]);
});

it('a master that stops waits for the answer to a message in flight, so that it is not sent twice', async () => {
  const answers = Promise.withResolvers<void>();
  const engine = await Engine.start(
    () => ({ after: 10, state: 'failed', error: 'no route to host' }),
    {},
    {
      sendDelivery: async ({ id, tries }) => {
        await answers.promise;
        return { id, number: tries, state: 'sent', answer: 'ok', took: 1 };
      },
    },
  );
  const rule = ruleSchema.parse({ name: 'r', match: { kinds: ['run-failed'] }, channels: ['ops'] });
  await engine.store.setAlertRule({ project: 'default', rule, by: 'ann', now: engine.clock.now() });
  await engine.submit(workflow([task('a')], { name: 'orders' }));
  await engine.pass(5_000);
  const stopped = engine.stopMaster();
  await engine.pass(2_000);
  expect(await engine.store.listDeliveries({ limit: 10 })).toMatchObject([{ state: 'waiting', tries: 1 }]);
  answers.resolve();
  await engine.pass(2_000);
  await stopped;
  expect(await engine.store.listDeliveries({ limit: 10 })).toMatchObject([{ state: 'sent', answer: 'ok' }]);
});
