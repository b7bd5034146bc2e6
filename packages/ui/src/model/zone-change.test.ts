import { expect, it } from 'vitest';
import { offsetOf, zoneChanges } from './zone-change.ts';

it('finds when clocks go forward and back, to the minute', () => {
  const from = Date.parse('2026-01-10T12:34:56Z');
  expect(zoneChanges('Europe/Berlin', from, 365)).toEqual([
    { at: Date.parse('2026-03-29T01:00:00Z'), by: 60 },
    { at: Date.parse('2026-10-25T01:00:00Z'), by: -60 },
  ]);
  expect(zoneChanges('Australia/Lord_Howe', from, 120)).toEqual([
    { at: Date.parse('2026-04-04T15:00:00Z'), by: -30 },
  ]);
  expect(zoneChanges('Asia/Shanghai', from, 365)).toEqual([]);
  expect(zoneChanges('No/Where', from, 365)).toEqual([]);
  expect(offsetOf('Asia/Kathmandu', from)).toBe(345);
});
