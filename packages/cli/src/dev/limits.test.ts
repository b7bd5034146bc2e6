import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from './server-process.ts';

const limit = 3;
const runs = 500;
/** Of them, those that a backfill starts. */
const filledIn = 100;
const kills = 5;
const workflow = `
name: limited
limit: ${limit}
tasks:
  - { name: one, type: noop, with: { sleep: 5 } }
  - { name: two, type: noop, needs: [one] }
`;

interface RunTimes {
  readonly id: number;
  readonly kind: string;
  readonly trigger: string;
  readonly state: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

let folder: string;
let server: ServerProcess;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-limits-'));
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const start = async (): Promise<void> => {
  server = await ServerProcess.start(join(folder, 'data'));
};
/** The runs of the workflow; a backfill itself is none, and holds no slot. */
const list = async () =>
  (await server.get<{ runs: RunTimes[] }>('/runs?limit=1000')).runs.filter(({ kind }) => kind === 'normal');
const notStarted = ['queued', 'waiting'];

/** Waits until so many runs have ended, watching that never more than the limit are open. */
async function untilEnded(count: number): Promise<void> {
  for (;;) {
    const found = await list();
    const open = found.filter(({ state, endedAt }) => endedAt === null && !notStarted.includes(state));
    expect(open.length).toBeLessThanOrEqual(limit);
    if (found.filter(({ endedAt }) => endedAt !== null).length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Most runs that were open at one time. */
function mostOpen(found: readonly RunTimes[]): number {
  const steps = found.flatMap(({ startedAt, endedAt }) => [
    { at: Date.parse(startedAt ?? ''), change: 1 },
    { at: Date.parse(endedAt ?? ''), change: -1 },
  ]);
  // Where one ends in the millisecond in which another starts, the end was first: it freed the slot.
  steps.sort((a, b) => a.at - b.at || a.change - b.change);
  let open = 0;
  let most = 0;
  for (const { change } of steps) {
    open += change;
    most = Math.max(most, open);
  }
  return most;
}

describe('a limit on the runs of a workflow', () => {
  it('holds through kills, stops, reruns and a backfill, and leaves no run waiting', {
    timeout: 300_000,
  }, async () => {
    await start();
    expect((await server.post('/workflows', workflow, 'application/yaml')).status).toBe(200);
    const times = Array.from({ length: filledIn }, (_, k) => new Date(k * 86_400_000).toISOString());
    const backfill = { workflow: 'limited', times, parallel: 10 };
    const started = [
      server.post('/backfills', JSON.stringify(backfill)),
      ...Array.from({ length: runs - filledIn }, () => server.post('/runs', '{"workflow":"limited"}')),
    ];
    expect((await Promise.all(started)).every(({ status }) => status === 202)).toBe(true);
    const reran = new Set<number>();
    const stopped = new Set<number>();
    for (let k = 0; k < kills; k++) {
      await untilEnded(20 * (k + 1));
      const found = (await list()).filter(({ trigger }) => trigger === 'api');
      const again = found.find(({ id, state }) => state === 'success' && !reran.has(id))?.id ?? 0;
      reran.add(again);
      expect((await server.post(`/runs/${again}/rerun`, '{}')).status).toBe(202);
      const waiting = found.find(({ id, state }) => notStarted.includes(state) && !stopped.has(id))?.id ?? 0;
      stopped.add(waiting);
      expect((await server.post(`/runs/${waiting}/stop`, '{}')).status).toBe(202);
      await server.end('SIGKILL');
      await start();
    }
    await untilEnded(runs);
    for (const id of reran) {
      const { round, requested } = await server.get<{ round: number; requested: unknown[] }>(`/runs/${id}`);
      expect({ round, requested }).toEqual({ round: 2, requested: [] });
    }
    const found = await list();
    expect(found).toHaveLength(runs);
    expect(found.filter(({ state }) => state === 'stopped')).toHaveLength(kills);
    expect(found.filter(({ state }) => state === 'success')).toHaveLength(runs - kills);
    expect(found.filter(({ trigger }) => trigger === 'backfill')).toHaveLength(filledIn);
    const backfills = async () =>
      (await server.get<{ runs: RunTimes[] }>('/runs?kind=backfill')).runs.map(({ state }) => state);
    await expect.poll(backfills, { timeout: 60_000 }).toEqual(['success']);
    expect(mostOpen(found.filter(({ id, startedAt }) => startedAt !== null && !reran.has(id)))).toBe(limit);
  });
});
