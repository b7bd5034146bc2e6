/**
 * A server that people have set up: calendars, connections, environments, limits, tokens, alert rules and channels; a
 * full task group with its line, a backfill under way, two versions of a workflow. The same at every call, but for ids.
 */
import { SMALL_NOW } from './small.ts';
import { Stage } from './stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const orders = (day: string) => `
project: etl
name: orders
description: Loads the orders of the day before
tags: [orders]
timezone: Asia/Shanghai
params:
  day: $[yyyyMMdd-1]
  region: { default: eu, options: [eu, us, cn], description: Where the orders come from }
schedules:
  - { name: nightly, cron: '0 ${day} * * *', calendar: holidays }
  - { name: hourly, cron: '30 * * * *', timezone: UTC, misfire: { policy: skip, threshold: 1m } }
tasks:
  - { name: extract, type: shell, retries: { limit: 2, delay: 10s }, with: { script: 'echo extract \${day} \${region}' } }
  - { name: clean, type: shell, needs: extract, with: { script: echo clean } }
  - { name: load, type: shell, needs: clean, with: { script: echo load } }
`;
const others = `
project: etl
name: close
description: Closes the books of a day
tasks:
  - { name: orders, type: sub-workflow, with: { workflow: etl/orders } }
  - { name: ledger, type: shell, needs: orders, with: { script: echo ledger } }
---
project: etl
name: copy
description: Copies a table of the warehouse
params: { day: '$[yyyyMMdd]' }
tasks: [{ name: copy, type: shell, group: warehouse, with: { script: 'echo copy \${day}' } }]
---
project: crm
name: contacts
tasks: [{ name: fetch, type: shell, with: { script: echo fetch } }]
`;

/** Fills a folder that has no database yet. */
export async function seedFurnished(folder: string): Promise<number> {
  let copies = 0;
  const stage = await Stage.open({
    folder,
    from: SMALL_NOW - 6 * HOUR,
    workers: { w1: { slots: 8 }, w2: { slots: 4, groups: ['default', 'gpu'] } },
    scenes: {
      'orders/load': ({ attempt: { run } }) =>
        run % 4 === 3 ? { after: 9_000, state: 'failed', error: 'disk quota exceeded' } : { after: 40_000 },
      'contacts/fetch': () => ({ after: 2_000, state: 'failed', error: 'HTTP 502 from crm.example' }),
      // The first ones are done, one fails, the rest is under way for as long as anyone looks.
      'copy/copy': () => {
        copies++;
        if (copies === 3) return { after: MINUTE, state: 'failed', error: 'the table is locked' };
        return copies < 6 ? { after: 2 * MINUTE } : { after: 5 * HOUR };
      },
    },
  });
  const { client } = stage;
  const days = { dates: ['2026-04-06', '2026-10-01'], yearly: ['01-01', '12-25'], weekdays: ['sunday'] };
  const calendar = { description: 'Days on which no market is open', ...days };
  await client.setCalendar({ project: 'etl', name: 'holidays', body: calendar as never });
  // The API of the stage has no kinds of connections.
  const warehouse = {
    host: 'db.example',
    port: 5432,
    database: 'facts',
    user: 'etl',
    password: '${secret.db}',
  };
  await stage.store.setConnection({
    project: 'etl',
    name: 'warehouse',
    connection: { kind: 'postgresql', description: 'Facts and dimensions', settings: warehouse },
    by: 'admin',
    now: stage.clock.now(),
  });
  for (const [name, region] of [
    ['prod', 'eu'],
    ['test', 'us'],
  ])
    await client.setEnvironment({
      name,
      body: { description: `Where ${name} runs`, variables: { REGION: region, KEY: '${secret.api-key}' } },
    });
  await client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 2 } });
  await client.setLimits({
    ifMatch: '0',
    body: { runs: 200, tenants: { billing: { runs: 20, weight: 2 } } },
  });
  await client.createToken({ body: { name: 'ci', role: 'editor', project: 'etl', days: 90 } });
  const old = await client.createToken({ body: { name: 'old laptop', role: 'admin', days: null } });
  await client.revokeToken({ id: old.id });
  const settings = { url: 'https://hooks.example/orrery', secrets: ['${secret.hook}'] };
  await client.setAlertChannel({ project: '*', name: 'ops', body: { kind: 'webhook', settings } });
  const rule = { name: 'failures', match: { kinds: ['run-failed'] }, channels: ['ops'] };
  await client.setAlertRule({ project: '*', name: 'failures', body: rule as never });
  await client.publishWorkflows({ body: orders('1'), note: 'first version' });
  await client.publishWorkflows({ body: others, note: 'first version' });
  await stage.passUntil(SMALL_NOW - 3 * HOUR);
  const faster = orders('2')
    .replace('limit: 2', 'limit: 4')
    .replace('needs: clean', 'needs: [extract, clean]');
  await client.publishWorkflows({ body: faster, note: 'later, and more patient' });
  await stage.passUntil(SMALL_NOW - HOUR);
  for (let k = 0; k < 3; k++) await stage.start('crm/contacts');
  await client.setAlertMute({
    project: 'crm',
    body: { match: { names: ['contacts'] }, until: '+2h', reason: 'the vendor knows' },
  });
  const backfill = { workflow: 'etl/copy', from: '2026-02-01', to: '2026-02-10', cron: '0 2 * * *' };
  await client.startBackfill({ body: { ...backfill, parallel: 4, trigger: 'manual' } });
  await stage.passUntil(SMALL_NOW);
  await stage.close();
  return SMALL_NOW;
}
