import { describe, expect, it } from 'vitest';
import { json, orrery, start, until, useServer, write } from './use-server.ts';

useServer();

describe('runs', () => {
  it('are listed and shown', async () => {
    const id = await start('hello', '-p', 'name=Bo');
    await until(
      () => json('runs', 'show', String(id)),
      ({ state }) => state === 'success',
    );
    const list = await orrery('runs', 'list', '--workflow', 'hello', '--limit', '1');
    expect(list.out).toMatch(
      new RegExp(
        `^RUN +WORKFLOW +BUSINESS TIME +STATE +TRIGGER +CREATED +TOOK\n${id} +default/hello v1 +\\S+ +success +manual +\\d+s ago +\\d\\.\\ds\n`,
      ),
    );
    const chosen = [
      '--project',
      'default',
      '--state',
      'success,failed',
      '--trigger',
      'manual',
      '--from',
      '-1h',
    ];
    const { runs } = await json('runs', 'list', ...chosen, '--to', '-0', '--q', String(id));
    expect((runs as { id: number }[]).map((run) => run.id)).toEqual([id]);
    expect((await orrery('runs', 'list', '--to', '-1h')).out).toBe('no run matches\n');
    const oldest = await json('runs', 'list', '--workflow', 'default/*', '--order', 'oldest');
    const ids = (oldest.runs as { id: number }[]).map((run) => run.id);
    expect(ids).toEqual(ids.toSorted((x, y) => x - y));
    expect(ids).toContain(id);
    const longest = await json('runs', 'list', '--order', 'longest');
    expect((longest.runs as { id: number }[]).map((run) => run.id).sort((x, y) => x - y)).toEqual(ids);
    expect((await orrery('runs', 'list', '--order', 'long')).err).toMatch(
      /newest, oldest, longest or shortest/,
    );
    const { out } = await orrery('runs', 'show', String(id));
    expect(out).toContain(`run ${id} of default/hello v1: success\n`);
    expect(out).toMatch(/\n {2}parameters +name=Bo\n/);
    expect(out).toMatch(/\nfetch +success +\d+s ago +2 +local-/);
  });

  it('say that there are more only where there are', async () => {
    const tagged = ['run', 'hello', '-p', 'name=Di', '--tag', 'counted'];
    await Promise.all([orrery(...tagged), orrery(...tagged)]);
    const listed = async (limit: string) =>
      (await orrery('runs', 'list', '--tag', 'counted', '--limit', limit)).out.trimEnd().split('\n');
    expect(await listed('2')).toHaveLength(3);
    expect((await listed('1')).at(-1)).toBe('there are more; raise --limit');
  });

  it('are paused, resumed, stopped, recovered and rerun', async () => {
    const id = String(await start('slow'));
    const state = (wanted: string) =>
      until(
        () => json('runs', 'show', id),
        (run) => run.state === wanted && run.requested.length === 0,
      );
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    expect(await orrery('runs', 'pause', id)).toEqual({
      code: 0,
      out: `pause of run ${id} requested\n`,
      err: '',
    });
    await state('pausing');
    await orrery('runs', 'resume', id);
    await state('running');
    await orrery('runs', 'stop', id);
    await state('stopped');
    const refused = await orrery('runs', 'pause', id);
    expect([refused.code, refused.err]).toEqual([1, `pause of run ${id} refused: the run has ended\n`]);
    await orrery('runs', 'recover', id);
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    await orrery('runs', 'stop', id);
    await state('stopped');
    await orrery('runs', 'rerun', id, '--only', 'nap');
    await until(
      () => json('runs', 'show', id),
      ({ tasks, round }) => round === 3 && tasks[0]?.state === 'running',
    );
    await orrery('runs', 'stop', id);
    await state('stopped');
  });

  it('are replayed with what was changed, and name each other', async () => {
    const id = await start('hello', '-p', 'name=Bo');
    const { code, out } = await orrery('runs', 'replay', String(id), '-p', 'name=Cy', '--wait');
    expect([code, out]).toEqual([0, expect.stringMatching(/run \d+ success after/)]);
    const other = /\d+/.exec(out)?.[0] ?? '';
    expect((await orrery('runs', 'show', other)).out).toMatch(new RegExp(`replay of +run ${id}\n`));
    expect((await orrery('runs', 'show', String(id))).out).toMatch(new RegExp(`replayed by +${other}\n`));
    expect((await json('runs', 'show', other)).params).toEqual({ name: 'Cy' });
    const dry = await json('runs', 'replay', other, '--latest', '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, params: { name: 'Cy' } });
    expect((await orrery('runs', 'replay', other, '-p', 'nam=x')).err).toMatch(/parameter "nam": unknown/);
    for (const verb of ['replay', 'rerun'])
      expect((await orrery('runs', verb, other, '--from', 'fetsh')).err).toMatch(
        /there is no task "fetsh"; did you mean "fetch"\?/,
      );
  });

  it('have single tasks forced, killed and let go on, and their parameters set', async () => {
    const failed = String((await json('run', 'fail', '--wait')).id);
    expect((await orrery('runs', 'force', `${failed}.try`, '--dry-run')).out).toBe(
      `force of ${failed}.try would count as succeeded 1 task; 1 task would stay as it is\n`,
    );
    await orrery('runs', 'force', `${failed}.try`, '--reason', 'mended by hand');
    const forced = await until(
      () => json('runs', 'show', failed),
      ({ tasks }) => tasks[0].state === 'success',
    );
    expect(forced.tasks[0].reason).toBe('mended by hand');
    expect(await orrery('runs', 'kill', `${failed}.try`)).toEqual({
      code: 1,
      out: '',
      err: `kill of ${failed}.try refused: the run has ended\n`,
    });
    const delayed =
      'name: delayed\nparams: {x: {default: 0}}\ntasks: [{name: a, type: noop, delay: 1h}, {name: b, type: noop, delay: 1h}]';
    await orrery('apply', '-f', write('delayed.yaml', delayed));
    const id = String(await start('delayed'));
    await until(
      () => json('runs', 'show', id),
      ({ tasks }) => tasks.length === 2 && tasks[0].state === 'delayed',
    );
    await orrery('runs', 'kill', `${id}.b`);
    await orrery('runs', 'start-now', `${id}.a`);
    const ended = await until(
      () => json('runs', 'show', id),
      ({ state }) => state === 'failed',
    );
    expect(ended.tasks.map(({ state }: { state: string }) => state)).toEqual(['success', 'killed']);
    const set = await orrery('runs', 'set', id, '-p', 'x=1');
    expect([set.code, set.err]).toEqual([1, `set of run ${id} refused: the run has ended\n`]);
    expect((await orrery('runs', 'set', id)).err).toContain('say what to set');
    expect((await orrery('runs', 'kill', 'load')).err).toContain('write RUN.TASK, such as 12.extract');
  });

  it('that do not exist are bad input', async () => {
    const { code, err } = await orrery('runs', 'show', '4711');
    expect(code).toBe(2);
    expect(err).toMatch(/^orrery: there is no run 4711; the newest number is \d+\n$/);
    expect((await orrery('runs', 'stop', 'x')).code).toBe(2);
    expect((await orrery('runs', 'list', '--state', 'fine')).code).toBe(2);
  });

  it('that wait are given another priority; one that has started is refused', async () => {
    const text = 'name: one-by-one\nlimit: 1\ntasks: [{name: ask, type: approval, with: {message: go}}]';
    await orrery('apply', '-f', write('one-by-one.yaml', text));
    const first = String((await json('run', 'one-by-one')).id);
    await until(
      () => json('runs', 'show', first),
      ({ state }) => state === 'running',
    );
    const second = String((await json('run', 'one-by-one')).id);
    await until(
      () => json('runs', 'show', second),
      ({ state }) => state === 'waiting',
    );
    const set = await orrery('runs', 'set-priority', 'high', second, '--reason', 'late');
    expect(set).toEqual({ code: 0, out: `priority high of run ${second} requested\n`, err: '' });
    expect(await json('runs', 'show', second)).toMatchObject({ priority: 'high', state: 'waiting' });
    expect(await orrery('runs', 'set-priority', 'low', first)).toEqual({
      code: 1,
      out: '',
      err: `priority low of run ${first} refused: the run has started\n`,
    });
    expect(await orrery('runs', 'set-priority', 'urgent', second)).toMatchObject({ code: 2 });
    await orrery('runs', 'stop', first, second);
  });
});
