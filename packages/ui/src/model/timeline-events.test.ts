import { describe, expect, it } from 'vitest';
import { attemptsOfEvents, type HistoryEvent } from './timeline-events.ts';

const event = (
  second: number,
  kind: string,
  number: number | null,
  more: Partial<HistoryEvent> = {},
): HistoryEvent => ({
  at: new Date(second * 1_000).toISOString(),
  kind,
  task: 'load',
  shard: null,
  number,
  state: null,
  ...more,
});

describe('attempts from the history of a run', () => {
  it('have their times and how they ended', () => {
    const attempts = attemptsOfEvents([
      event(1, 'queued', 1),
      event(2, 'assigned', 1),
      event(5, 'attempt', 1, { state: 'failed' }),
      event(8, 'queued', 2),
      event(9, 'assigned', 2),
    ]).get('load');
    expect(attempts).toEqual([
      {
        shard: null,
        number: 1,
        round: 1,
        state: 'failed',
        queuedAt: 1_000,
        startedAt: 2_000,
        endedAt: 5_000,
      },
      {
        shard: null,
        number: 2,
        round: 1,
        state: 'running',
        queuedAt: 8_000,
        startedAt: 9_000,
        endedAt: null,
      },
    ]);
  });

  it('belong to the round that they were queued in', () => {
    const attempts = attemptsOfEvents([
      event(1, 'queued', 1),
      event(2, 'attempt', 1, { state: 'failed' }),
      event(2, 'round', null, { task: null, state: 'failed' }),
      event(60, 'queued', 2),
    ]).get('load');
    expect(attempts?.map(({ round }) => round)).toEqual([1, 2]);
  });

  it('stand by shard and number, whatever the order in which they are told', () => {
    const attempts = attemptsOfEvents([
      event(3, 'queued', 1, { shard: 1 }),
      event(4, 'queued', 2, { shard: 0 }),
      event(1, 'queued', 1, { shard: 0 }),
    ]).get('load');
    expect(attempts?.map(({ shard, number }) => [shard, number])).toEqual([
      [0, 1],
      [0, 2],
      [1, 1],
    ]);
  });

  it('leave out what is no attempt', () => {
    expect(attemptsOfEvents([event(1, 'created', null, { task: null }), event(2, 'task', null)]).size).toBe(
      0,
    );
  });
});
