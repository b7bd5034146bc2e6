import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFull } from '@orrery/testkit/tier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from './server-process.ts';

const LIMIT = 300_000;
const kills = isFull ? 20 : 10;
const runsInFlight = 200;
const shellLine = 'echo $ORRERY_RUN; sleep 0.1';
const workflow = `
name: crash
schedules: [{ name: often, every: 2s, misfire: fire-all }]
tasks:
  - { name: one, type: noop }
  - { name: two, type: noop, needs: [one], with: { sleep: 150 } }
  - { name: three, type: noop, needs: [one], with: { sleep: 150 } }
  - { name: four, type: noop, needs: [two, three] }
---
name: shells
tasks:
  - { name: shell, type: shell, with: { script: "${shellLine}" } }
`;

let folder: string;
let server: ServerProcess;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-crash-'));
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const start = async (): Promise<void> => {
  server = await ServerProcess.start(join(folder, 'data'));
};

/** Processes of tasks of this test that are still there. */
function orphans(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`ORRERY_WORK_DIR=${join(folder, 'data')}`);
    } catch {
      return false;
    }
  });
}

describe('a server that is killed again and again', () => {
  it('ends every acknowledged run once, loses no tick, leaves no process', { timeout: LIMIT }, async () => {
    await start();
    expect((await server.post('/workflows', workflow, 'application/yaml')).status).toBeLessThan(300);
    const acknowledged = new Set<number>();
    const submit = async (name: string): Promise<void> => {
      const answer = await server.post('/runs', JSON.stringify({ workflow: name })).catch(() => undefined);
      if (answer?.ok) acknowledged.add(((await answer.json()) as { id: number }).id);
    };
    await Promise.all(Array.from({ length: runsInFlight }, () => submit('crash')));
    expect(acknowledged.size).toBe(runsInFlight);
    for (let round = 0; round < kills; round++) {
      const burst = Array.from({ length: 5 }, (_, k) => submit(k === 0 ? 'shells' : 'crash'));
      await new Promise((resolve) => setTimeout(resolve, 50 + ((round * 7919) % 700)));
      await server.end('SIGKILL');
      await Promise.allSettled(burst);
      await start();
    }
    for (const id of acknowledged) {
      const state = async () => (await server.get<{ state: string }>(`/runs/${id}`)).state;
      await expect.poll(state, { interval: 200, timeout: LIMIT }).toMatch(/^(success|failed)$/);
    }
    const { schedules } = await server.get<{ schedules: { id: number }[] }>('/schedules');
    await server.post(`/schedules/${schedules[0].id}/pause`, '{}');
    const { ticks } = await server.get<{ ticks: { due: string; run: number | null }[] }>(
      `/schedules/${schedules[0].id}/ticks?limit=1000`,
    );
    const due = ticks.map((tick) => Date.parse(tick.due)).sort((a, b) => a - b);
    expect(ticks.every(({ run }) => run !== null)).toBe(true);
    expect(due).toEqual(due.map((_, k) => due[0] + k * 2_000));
    await server.end('SIGKILL');
    await expect.poll(orphans).toEqual([]);
  });
});
