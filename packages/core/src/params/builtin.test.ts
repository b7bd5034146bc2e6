import { describe, expect, it } from 'vitest';
import { zone } from '../time/zone.ts';
import { builtinParameters, RESERVED_PREFIXES } from './builtin.ts';

const facts = { businessTime: Date.parse('2026-03-09T04:30:00Z'), zone: zone('America/New_York') };

describe('built-in parameters', () => {
  it('count the day before by the calendar of the zone', () => {
    // 00:30 on the day after one of 23 hours: 24 hours earlier lies two dates back.
    expect(builtinParameters(facts)).toEqual({
      'system.biz.date': '20260308',
      'system.biz.curdate': '20260309',
      'system.datetime': '20260309003000',
      'orrery.business.time': '2026-03-09 00:30:00',
    });
  });

  it('give one value under both names', () => {
    const values = builtinParameters({ ...facts, runId: '7', taskName: 'load' });
    expect(values['system.workflow.instance.id']).toBe('7');
    expect(values['orrery.run.id']).toBe('7');
    expect(values['system.task.definition.name']).toBe('load');
    expect(values['orrery.task.name']).toBe('load');
  });

  it('all have a reserved prefix', () => {
    const all = builtinParameters({ ...facts, projectName: 'p', executePath: '/x', taskRunId: '1' });
    for (const name of Object.keys(all)) {
      expect(RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))).toBe(true);
    }
  });
});
