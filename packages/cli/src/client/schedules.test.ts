import { describe, expect, it, vi } from 'vitest';
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
    vi.stubEnv('TZ', 'Asia/Kolkata');
    const ticks = (await orrery('schedules', 'ticks', id)).out;
    expect(ticks).toMatch(/\n\d{4}-\S+\+05:30 +\d+\.\ds +run \d+\n/);
    const utc = (await orrery('schedules', 'ticks', id, '--utc')).out;
    expect(utc).toMatch(/\n\d{4}-\S+Z +\d+\.\ds +run \d+\n/);
    vi.unstubAllEnvs();
    expect((await orrery('schedules', 'pause', id)).out).toBe('default/often main: paused\n');
    const again = await orrery('schedules', 'pause', id);
    expect([again.code, again.err]).toEqual([1, 'orrery: the schedule is already paused\n']);
    expect((await orrery('schedules', 'resume', id)).out).toMatch(
      /^default\/often main: on, next (in )?\d+s( ago)?\n$/,
    );
    const dry = await orrery('schedules', 'set', id, '--cron', '0 3 1 1 *', '--dry-run', '--utc');
    expect(dry.out).toMatch(/^default\/often main: on \(not changed\)\n(\d{4}-01-01T03:00:00Z\n){5}$/);
    const set = await orrery('schedules', 'set', id, '--every', '2h', '--disable');
    expect(set).toMatchObject({ code: 0, out: 'default/often main: paused\n' });
    expect(await orrery('schedules', 'set', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('say what shall change'),
    });
    expect((await orrery('schedules', 'set', id, '--enable')).out).toMatch(/^default\/often main: on\n/);
    await orrery('schedules', 'pause', id);
  });

  it('are named by their workflow and name, and fired by hand', async () => {
    const text = `project: etl
name: loads
schedules:
  - {name: daily, cron: 0 3 * * *, params: {kind: full}}
  - {name: hourly, cron: 0 * * * *, enabled: false}
params: {kind: none}
tasks: [{name: a, type: shell, with: {script: "echo \${kind}"}}]`;
    await orrery('apply', '-f', write('loads.yaml', text));
    const paused = await orrery('schedules', 'pause', 'etl/loads', 'daily');
    expect(paused).toEqual({ code: 0, out: 'etl/loads daily: paused\n', err: '' });
    const fired = await json('schedules', 'fire', 'etl/loads', 'daily');
    await until(
      () => json('runs', 'show', String(fired.id)),
      ({ state }) => state === 'success',
    );
    expect((await orrery('logs', `${fired.id}.a`)).out).toContain('full');
    expect(await json('runs', 'show', String(fired.id))).toMatchObject({ trigger: 'manual' });
    const which = await orrery('schedules', 'fire', 'etl/loads');
    expect([which.code, which.err]).toEqual([
      2,
      'orrery: workflow etl/loads has 2 schedules; say which: daily, hourly\n',
    ]);
    const wrong = await orrery('schedules', 'ticks', 'etl/loads', 'weekly');
    expect(wrong.err).toBe('orrery: workflow etl/loads has no schedule "weekly"; it has daily, hourly\n');
    expect((await orrery('schedules', 'pause', 'slow')).err).toBe(
      'orrery: workflow default/slow has no schedule\n',
    );
    expect((await orrery('workflows', 'list', '--project', 'etl')).out).toMatch(
      /^etl\/loads +v1 +success +daily 0 3 \* \* \* paused, hourly 0 \* \* \* \* paused +-$/m,
    );
    await orrery('schedules', 'resume', 'etl/loads', 'daily');
    expect((await orrery('workflows', 'list', '--project', 'etl')).out).toMatch(
      /daily 0 3 \* \* \*, hourly 0 \* \* \* \* paused +in \d+[hms]$/m,
    );
    await orrery('schedules', 'pause', 'etl/loads', 'daily');
  });

  it('leave out the days of a calendar, which is made, changed and deleted', async () => {
    const made = await orrery('calendars', 'set', 'closed', '--add', 'sunday', '12-25', '2099-05-01');
    expect(made.out).toMatch(/^default\/closed, used by 0 schedules\n/);
    expect(made.out).toMatch(/every week +sunday\nevery year +12-25\nonce +2099-05-01\n/);
    const text =
      'name: open\nschedule: {cron: 0 9 25 12 *, calendar: closed}\ntasks: [{name: a, type: noop}]';
    await orrery('apply', '-f', write('open.yaml', text));
    const days = ['calendars', 'set', 'closed', '--remove', '12-25'];
    const dry = await orrery(...days, '--dry-run', '--utc');
    expect(dry.out).toMatch(
      /\(not changed\)\n.*default\/open main: next \d{4}-12-25T09:00:00Z instead of never\n$/s,
    );
    const shown = await orrery(
      'schedules',
      'set',
      'open',
      'main',
      '--cron',
      '0 9 25,26 12 *',
      '--dry-run',
      '--utc',
    );
    expect(shown.out).toMatch(/12-26T09:00:00Z\nleft out before that:\n\d{4}-12-25T09:00:00Z\n/);
    expect((await json('calendars', 'show', 'closed')).yearly).toEqual(['12-25']);
    const file = write('closed.yaml', 'description: works holidays\nyearly: [08-15]\n');
    expect((await orrery('calendars', 'set', 'closed', '--file', file)).out).toContain('works holidays');
    expect((await orrery('calendars')).out).toMatch(/default\/closed +1 +1 +works holidays/);
    for (const [args, code, told] of [
      [['set', 'closed'], 2, 'say what shall change'],
      [['set', 'closed', '--add', '2026-02-30'], 2, '"2026-02-30" is not a day'],
      [['set', 'closed', '--remove', '01-01'], 2, '01-01 is not a day of the calendar'],
      [['set', 'closed', '--file', write('list.yaml', '[1]')], 2, 'holds no calendar'],
      [['show', 'none'], 2, 'there is no calendar default/none'],
      [['delete', 'closed'], 1, 'closed is used by default/open'],
    ] as const) {
      const answer = await orrery('calendars', ...args);
      expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(told)]);
    }
    await orrery('schedules', 'set', 'open', 'main', '--calendar', 'none');
    expect((await orrery('calendars', 'delete', 'closed')).out).toBe('calendar closed deleted\n');
  });
});
