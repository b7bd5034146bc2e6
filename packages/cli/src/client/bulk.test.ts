import { describe, expect, it } from 'vitest';
import { json, orrery, start, until, useServer } from './use-server.ts';

useServer();

describe('bulk', () => {
  it('changes all runs that match, says what became of each, and of a dry run what would', async () => {
    const slow = [await start('slow'), await start('slow')];
    for (const id of slow)
      await until(
        () => json('runs', 'show', String(id)),
        ({ state }) => state === 'running',
      );
    const chosen = ['--workflow', 'slow', '--q', 'slow'];
    const dry = await orrery('bulk', 'stop', ...chosen, '--state', 'running', '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, 'stop of 2 runs: 2 allowed, 0 refused\n']);
    const stopped = await orrery(
      'bulk',
      'stop',
      ...chosen,
      '--state',
      'running',
      '--reason',
      'late',
      '--follow',
    );
    expect([stopped.code, stopped.err]).toEqual([0, '']);
    expect(stopped.out).toMatch(/^bulk \d+: stop of 2 runs, done\n {2}2 asked, 0 refused, 0 left by .*\n$/);
    for (const id of slow)
      await until(
        () => json('runs', 'show', String(id)),
        ({ state }) => state === 'stopped',
      );
    const again = await json('bulk', 'stop', ...chosen, '--follow');
    expect(again).toMatchObject({ state: 'done', told: 0 });
    const shown = await orrery('bulk', 'show', String(again.id));
    expect(shown.out).toContain(`${again.total} refused: the run has ended\n`);
    const results = await orrery('bulk', 'results', String(again.id), '--outcome', 'refused');
    expect(results.out).toMatch(
      new RegExp(`\n${slow[1]} +default/slow +refused +stopped +the run has ended\n`),
    );
    const list = await orrery('bulk', 'list', '--limit', '1');
    expect(list.out).toMatch(new RegExp(`\n${again.id} +stop +done +${again.total} +0 +${again.total} +0 `));
    const over = await orrery('bulk', 'abort', String(again.id));
    expect([over.code, over.err]).toEqual([1, expect.stringContaining('it has ended')]);
  });

  it('gives tags to all that match, and takes them away', async () => {
    const { id } = await json('run', 'hello', '--wait');
    const tagged = await orrery('bulk', 'tag', 'late', 'checked', '--q', String(id), '--follow');
    expect(tagged.out).toMatch(/^bulk \d+: tag of 1 run, done\n {2}1 asked, 0 refused, 0 left by .*\n$/);
    expect(await json('runs', 'show', String(id))).toMatchObject({ tags: ['checked', 'late'] });
    await orrery('bulk', 'untag', 'late', '--tag', 'late', '--follow');
    expect(await json('runs', 'show', String(id))).toMatchObject({ tags: ['checked'] });
    expect((await orrery('bulk', 'tag', '--all')).code).toBe(2);
  });

  it.each([
    [['--state', 'running,odd'], 'orrery: --state: "odd": must be one of queued, '],
    [['--trigger', 'odd'], 'orrery: --trigger: "odd": must be one of manual, '],
    [['--duration', '10m..5m'], 'orrery: --duration: "10m..5m": the first is longer than the second'],
  ])('names the option that is wrong: %j', async (args, said) => {
    const { code, err } = await orrery('bulk', 'stop', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });

  it('wants to be told which runs', async () => {
    for (const args of [[], ['--all', '--state', 'running']]) {
      const { code, err } = await orrery('bulk', 'stop', ...args);
      expect([code, err]).toEqual([2, expect.stringContaining('say which runs')]);
    }
  });
});
