/**
 * Adds data for the pages about alerts to a seeded world: channels, rules, a mute, open alerts and sent
 * messages.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ruleSchema } from '@orrery/core/alert/schema';
import { openSqliteThread } from '@orrery/store';

/** Plays the alerts of the seed to rules that did not exist when they were raised. */
export async function addAlerts(folder: string, now: number): Promise<void> {
  const file = join(folder, 'orrery.db');
  const database = new DatabaseSync(file);
  database.exec('UPDATE alert SET routed = 0');
  database.close();
  const store = await openSqliteThread(file);
  const set = { by: 'ann', now };
  const channel = (name: string, kind: string, settings: object) =>
    store.setAlertChannel({ project: '*', name, kind, settings: { ...settings }, ...set });
  await channel('on-call', 'pagerduty', { key: '${secret.pager}' });
  await channel('post', 'mail', { host: 'mail.example.org', from: 'o@example.org', to: 'ops@example.org' });
  const rule = (project: string, given: object) =>
    store.setAlertRule({ project, rule: ruleSchema.parse(given), ...set });
  await rule('*', {
    name: 'failures',
    match: { kinds: ['run-failed', 'deadline'], severity: 'error' },
    channels: ['post'],
    escalate: { after: '30m', channels: ['on-call'] },
  });
  await rule('*', { name: 'cluster', match: { severity: 'critical' }, channels: ['on-call', 'post'] });
  const match = { names: ['partner-*'] };
  await store.setAlertMute({ project: 'etl', match, until: now + 7_200_000, reason: 'moving hosts', ...set });
  const [{ id: node, epoch }] = await store.listNodes();
  const self = { node, epoch };
  await store.routeAlerts({ self, limit: 10_000, now });
  await store.passAlertGroups({ self, limit: 1_000, now });
  const leased = await store.leaseDeliveries({ self, limit: 1_000, until: now + 1, now });
  const results = leased.map(
    ({ id, tries }) => ({ id, number: tries, state: 'sent', answer: '250 accepted', took: 40 }) as const,
  );
  await store.recordTries({ self, results, now });
  await store.close();
}
