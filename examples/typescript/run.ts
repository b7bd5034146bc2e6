/** Publishes a workflow, runs it and tells what happens, by the client of the API alone. Needs a running `orrery dev`. */
import { createClient, startWorkflow, taskRows, watchRun } from 'orrery-scheduler';
import { orders } from './orders.ts';

const client = createClient({
  url: process.env.ORRERY_URL ?? 'http://127.0.0.1:7070',
  token: process.env.ORRERY_TOKEN,
});

await client.publishWorkflows({ body: JSON.stringify(orders) });
const { id } = await startWorkflow(client, orders, { region: 'us' });

const told = new Set<string>();
for await (const run of watchRun(client, id)) {
  for (const { name, state } of taskRows(await client.listTasks({ id }))) {
    if (state !== 'pending' && !told.has(`${name} ${state}`)) console.log(`${name}: ${state}`);
    told.add(`${name} ${state}`);
  }
  if (run.endedAt !== null) console.log(`run ${id}: ${run.state}`);
}
