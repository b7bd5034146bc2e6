import { describe, expect, it } from 'vitest';
import { isListed, runsCommand } from './runs.ts';

const run = { id: 7, project: 'etl', name: 'daily', state: 'running', trigger: 'tick', kind: 'normal' };

describe('a new run', () => {
  it.each([
    [{}, true],
    [{ workflow: 'etl/daily' }, true],
    [{ workflow: 'daily' }, false],
    [{ project: 'etl', state: ['running', 'failed'], trigger: ['tick'] }, true],
    [{ state: ['failed'] }, false],
    [{ trigger: ['manual'] }, false],
    [{ kind: 'backfill' }, false],
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
  });
});
