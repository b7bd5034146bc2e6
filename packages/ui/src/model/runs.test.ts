import { describe, expect, it } from 'vitest';
import {
  actionOfMany,
  type FilteredRun,
  isListed,
  type RunsFilter,
  runsCommand,
  tagsOfText,
} from './runs.ts';

const run: FilteredRun = {
  id: 7,
  project: 'etl',
  name: 'daily',
  state: 'running',
  trigger: 'tick',
  kind: 'normal',
  version: 3,
  owner: 'm1',
  params: { day: '0814', of: 'a=b' },
  tags: ['eu', 'nightly'],
  parent: 4,
};

it('reads tags as they are typed', () => {
  expect(tagsOfText(' late, eu  west,,late ,')).toEqual(['late', 'eu  west']);
  expect(tagsOfText('  ')).toEqual([]);
});

describe('what can be done with many runs', () => {
  const action = (allowed: boolean, reason?: string) => ({
    actions: [
      { name: 'tag', allowed: true },
      { name: 'stop', allowed, reason },
    ],
  });
  const known = { all: true, noRight: undefined };

  it('is what one of them allows', () => {
    expect(actionOfMany('stop', [action(false, 'it has ended'), action(true)], known)).toMatchObject({
      allowed: true,
    });
  });

  it('is refused with the first reason where none allows it', () => {
    const runs = [action(false, 'it has ended'), action(false, 'it is queued')];
    expect(actionOfMany('stop', runs, known)).toEqual({
      name: 'stop',
      allowed: false,
      reason: 'it has ended',
    });
  });

  it('is left to the server where some are not known', () => {
    const runs = [action(false, 'it has ended')];
    expect(actionOfMany('stop', runs, { ...known, all: false })).toEqual({ name: 'stop', allowed: true });
  });

  it('is refused to who may not, whatever they allow', () => {
    expect(actionOfMany('stop', [action(true)], { all: true, noRight: 'ask an admin' })).toEqual({
      name: 'stop',
      allowed: false,
      reason: 'ask an admin',
    });
  });
});

describe('a new run', () => {
  it.each<[RunsFilter, boolean]>([
    [{}, true],
    [{ workflow: 'etl/daily' }, true],
    [{ workflow: 'daily' }, false],
    [{ workflow: 'etl/*' }, true],
    [{ workflow: 'crm/*' }, false],
    [{ project: 'etl', state: ['running', 'failed'], trigger: ['tick'] }, true],
    [{ state: ['failed'] }, false],
    [{ trigger: ['manual'] }, false],
    [{ kind: 'backfill' }, false],
    [{ version: [2, 3] }, true],
    [{ version: [2] }, false],
    [{ owner: 'm1', parent: 4 }, true],
    [{ owner: 'm2' }, false],
    [{ backfill: 5 }, false],
    [{ tag: ['nightly', 'eu'] }, true],
    [{ tag: ['nightly', 'us'] }, false],
    [{ param: ['day=0814', 'of=a=b'] }, true],
    [{ param: ['day=0815'] }, false],
    [{ duration: '10m' }, false],
    [{ worker: 'w1' }, false],
    [{ error: 'x' }, false],
    [{ q: 'AIL' }, true],
    [{ q: '7' }, true],
    [{ q: 'hourly' }, false],
    [{ from: '-24h' }, true],
    [{ to: '2026-03-01T00:00:00Z' }, false],
  ])('belongs to the list of %j: %s', (filter, listed) => {
    expect(isListed(filter, run)).toBe(listed);
  });

  it('of the project default is meant by a bare name', () => {
    expect(isListed({ workflow: 'daily' }, { ...run, project: 'default' })).toBe(true);
  });
});

describe('a list of runs', () => {
  it('is a command', () => {
    expect(runsCommand({ state: ['failed', 'stopped'], workflow: 'etl/a b' })).toBe(
      "orrery runs list --workflow 'etl/a b' --state failed,stopped",
    );
    expect(
      runsCommand({ param: ['day=0814', 'of=x y'], duration: '10m..', version: [1, 2], parent: 4 }),
    ).toBe("orrery runs list --duration 10m.. --version 1,2 --parent 4 --param day=0814 --param 'of=x y'");
  });
});
