import { describe, expect, it } from 'vitest';
import { json, orrery, until, useServer, write } from './use-server.ts';

useServer();

describe('schedules', () => {
  it('fire, are listed, show their ticks, and are paused and resumed', async () => {
    const text =
      'name: often\nschedule: {every: 1s}\ntasks: [{name: a, type: shell, with: {script: "true"}}]';
    await orrery('apply', '-f', write('often.yaml', text));
    const list = await json('schedules', '--workflow', 'often');
    const id = String(list.schedules[0].id);
    expect((await orrery('schedules')).out).toMatch(
      new RegExp(`\n${id} +default/often +main +on +(in )?\\d+s( ago)? +every 1\\.0s UTC\n`),
    );
    await until(
      () => json('schedules', 'ticks', id),
      ({ ticks }) => ticks.length > 0,
    );
    expect((await orrery('schedules', 'ticks', id)).out).toMatch(/\n\d{4}-\S+Z +\d+\.\ds +run \d+\n/);
    expect((await orrery('schedules', 'pause', id)).out).toBe('default/often main: paused\n');
    const again = await orrery('schedules', 'pause', id);
    expect([again.code, again.err]).toEqual([1, 'orrery: the schedule is already paused\n']);
    expect((await orrery('schedules', 'resume', id)).out).toMatch(
      /^default\/often main: on, next (in )?\d+s( ago)?\n$/,
    );
    const dry = await orrery('schedules', 'set', id, '--cron', '0 3 1 1 *', '--dry-run');
    expect(dry.out).toMatch(/^default\/often main: on \(not changed\)\n(\d{4}-01-01T03:00:00.000Z\n){5}$/);
    const set = await orrery('schedules', 'set', id, '--every', '2h', '--disable');
    expect(set).toMatchObject({ code: 0, out: 'default/often main: paused\n' });
    expect(await orrery('schedules', 'set', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('say what shall change'),
    });
    expect((await orrery('schedules', 'set', id, '--enable')).out).toMatch(/^default\/often main: on\n/);
    await orrery('schedules', 'pause', id);
  });
});
