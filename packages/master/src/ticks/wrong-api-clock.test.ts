import { EVERY, TickStage } from '@orrery/testkit/tick-stage';
import { afterEach, describe, expect, it } from 'vitest';

const SECOND = EVERY;
const MINUTE = 60_000;

function file({ every, note = '' }: { readonly every: number; readonly note?: string }): string {
  return `
name: w
description: 'w${note}'
schedules: [{ name: s, every: ${every}ms, misfire: { policy: skip, threshold: 5s } }]
tasks: [{ name: a, type: noop }]`;
}

describe('an api whose clock is wrong', () => {
  let stage: TickStage;
  afterEach(() => stage.close());

  /** Each due time after `from` has its tick and nothing else, and none was early. */
  const expectAll = async (schedule: number, from: number, every: number, until = stage.world.now()) => {
    const ticks = (await stage.store.listTicks({ schedule, limit: 1_000 })).toReversed();
    const first = Math.ceil((from + 1) / every) * every;
    const recorded = ticks.filter(({ due }) => due >= from && due <= until);
    const expected = Array.from({ length: Math.floor((until - 100 - first) / every) + 1 }, (_, k) => ({
      due: first + k * every,
      reason: null,
    }));
    expect(recorded.map(({ due, reason }) => ({ due, reason }))).toEqual(expected);
    expect(ticks.filter(({ due }) => due > stage.world.now())).toEqual([]);
    expect(Math.max(...stage.early)).toBeLessThanOrEqual(50);
  };

  /** The id of the one schedule, and that nothing of it was recorded for times before it was published. */
  const published = async (from: number) => {
    const [{ id }] = await stage.store.listSchedules({});
    const ticks = await stage.store.listTicks({ schedule: id, limit: 1_000 });
    expect(ticks.filter(({ due }) => due <= from)).toEqual([]);
    return id;
  };

  for (const skew of [90_000, 1_500, -1_500, -90_000]) {
    for (const when of ['from its start', 'all of a sudden', 'before its first beat'] as const) {
      const asked = async () => {
        stage = await TickStage.open();
        await stage.start('m1', 0);
        await stage.pass(2_000);
        const isSudden = when === 'all of a sudden';
        const joined = when !== 'before its first beat';
        const api = await stage.api('api', isSudden ? 0 : skew, { joined });
        await stage.pass(350);
        if (isSudden) api.node.skew = skew;
        return api;
      };

      it(`by ${skew} ms ${when} publishes, pauses, resumes and edits: every due time has its tick`, async () => {
        const api = await asked();
        const from = stage.world.now();
        await api.call('POST', '/workflows', file({ every: SECOND }));
        await stage.pass(7_000);
        const id = await published(from);
        await expectAll(id, from, SECOND);
        await api.call('POST', `/schedules/${id}/pause`);
        const paused = stage.world.now();
        await stage.pass(3_300);
        await api.call('POST', `/schedules/${id}/resume`);
        const resumed = stage.world.now();
        await stage.pass(5_000);
        const away = await stage.store.listTicks({ schedule: id, limit: 1_000 });
        expect(away.filter(({ due }) => due > paused && due <= resumed)).toEqual([]);
        await expectAll(id, resumed, SECOND);
        await api.call('POST', '/workflows', file({ every: 2 * SECOND, note: 'edited' }));
        const edited = stage.world.now();
        await stage.pass(9_000);
        await expectAll(id, edited, 2 * SECOND);
      });

      it(`by ${skew} ms ${when} publishes a schedule that is due later: it fires then`, async () => {
        const api = await asked();
        // 70 s before a due time: beyond what masters look ahead, and within 90 s.
        const due = (Math.floor(stage.world.now() / (60 * MINUTE)) + 1) * 60 * MINUTE;
        await stage.pass(due - 70_000 - stage.world.now());
        const from = stage.world.now();
        await api.call('POST', '/workflows', file({ every: 60 * MINUTE }));
        await stage.pass(75_000);
        await expectAll(await published(from), from, 60 * MINUTE);
      });
    }
  }
});
