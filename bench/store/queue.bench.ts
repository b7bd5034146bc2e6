/** The throughput of tasks through the queue by only the store's operations, and of single commits. */
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { Cycle } from './cycle.ts';
import { benchStores } from './databases.ts';

export const title = 'submit, claim, queue, take and end, with full history';

const BATCH = bySize(500, 5);
const SECONDS = bySize(4, 0);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const open of benchStores) {
    await using bench = await open();
    const { name, store } = bench;
    const cycle = await Cycle.begin(store);
    const single = Array.from({ length: BATCH }, (_, k) => k);
    const add = (what: string, value: number, note?: string) =>
      rows.push({ what: `${name}: ${what}`, value, unit: '/s', note });
    add(
      'tasks, each in a run of its own',
      await perSecond(async () => {
        await cycle.queue(await cycle.start(BATCH), [0]);
        await cycle.finish(await cycle.take(BATCH));
        return BATCH;
      }),
      `batches of ${BATCH}`,
    );
    add(
      'tasks of one run',
      await perSecond(async () => {
        await cycle.queue(await cycle.start(1), single);
        await cycle.finish(await cycle.take(BATCH));
        return BATCH;
      }),
      `batches of ${BATCH}`,
    );
    const [one] = await cycle.start(1);
    let task = 0;
    add(
      'commits of one attempt, one after the other',
      await perSecond(async () => {
        await cycle.queue([one], [task++]);
        return 1;
      }),
    );
    add(
      'commands, 64 asked for at once',
      await perSecond(async () => {
        await Promise.all(
          Array.from({ length: 64 }, () => store.submitCommand({ command: cycle.command, now: 1 })),
        );
        return 64;
      }),
    );
  }
  return rows;
}

/** How much of something is done in a second; the first rounds do not count. */
async function perSecond(act: () => Promise<number>): Promise<number> {
  for (let k = 0; k < 5; k++) await act();
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < SECONDS * 1_000) done += await act();
  return (done / (performance.now() - start)) * 1_000;
}
