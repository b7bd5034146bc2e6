/** An engine at work: schedules that fire every few seconds, with an hour behind them. Start `orrery dev` on the folder. */
import { Stage } from './stage.ts';
import { everyday } from './workflows.ts';

const workflows = ['clicks', 'prices', 'stock'].map((name, k) => ({
  project: 'live',
  name,
  schedule: { every: `${5 + 5 * k}s`, misfire: 'skip' },
  tasks: [
    { name: 'fetch', type: 'shell', with: { script: 'echo fetch; sleep 1' } },
    { name: 'check', type: 'noop', needs: 'fetch', with: { sleep: 500 } },
    { name: 'store', type: 'shell', needs: 'check', shards: 3, with: { script: 'echo store; sleep 1' } },
  ],
}));

/** Fills a folder with the hour before `now`. */
export async function seedBusy(folder: string, now: number): Promise<void> {
  const stage = await Stage.open({
    folder,
    from: now - 3_600_000,
    workers: { w1: { slots: 8 } },
    scenes: {
      'clicks/check': ({ attempt: { run } }) =>
        run % 20 === 0 ? { state: 'failed', error: 'no clicks' } : {},
    },
  });
  const live = workflows.map((file) => JSON.stringify(file)).join('\n---\n');
  await stage.client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 8 } });
  await stage.client.publishWorkflows({ body: `${everyday}\n---\n${live}` });
  await stage.passUntil(now);
  await stage.close();
}
