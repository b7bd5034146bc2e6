import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences, fault, givenValues, replayLine, runLine } from './run-form.ts';

const field = (type: string, more = {}) => ({ type, required: false, ...more });

it('sends what was typed and is not the default anyway', () => {
  const declared = {
    day: field('date', { default: '2026-01-01' }),
    size: field('integer', { default: '3' }),
  };
  expect(givenValues(declared, { day: '2026-01-01', size: '7', gone: 'x' })).toEqual({ size: '7' });
});

describe('a field', () => {
  it.each([
    ['integer', '7', null],
    ['integer', '7.5', 'type'],
    ['number', '-1e3', null],
    ['number', 'seven', 'type'],
    ['boolean', 'yes', 'type'],
    ['date', '2026-02-03', null],
    ['date', '3 Feb', 'type'],
    ['json', '{"a":1}', null],
    ['json', '{a', 'type'],
    ['list', '["a"]', null],
    ['list', 'a,b', null],
    ['list', '["a"', 'type'],
    ['date', '$[yyyy-MM-dd-1]', null],
    ['string', 'anything', null],
    ['string', '', null],
  ])('of type %s with %j has the fault %s', (type, value, wrong) => {
    expect(fault(field(type), value)).toBe(wrong);
  });

  it('may be required, or one of some', () => {
    expect(fault(field('string', { required: true }), '')).toBe('missing');
    expect(fault(field('string', { options: ['eu'] }), 'us')).toBe('option');
  });
});

describe('the line', () => {
  it('names the draft that is tested', () => {
    expect(runLine({ workflow: 'default/daily', draft: true, params: {} })).toBe('orrery run daily --draft');
  });

  it('says everything that was chosen', () => {
    expect(
      runLine({
        workflow: 'etl/daily',
        params: { day: '2026-02-28', note: "it's" },
        businessTime: '2026-02-28 06:00',
        priority: 'high',
        dryRun: true,
      }),
    ).toBe(
      `orrery run etl/daily --param day=2026-02-28 --param 'note=it'\\''s' --business-time '2026-02-28 06:00' --priority high --dry-run`,
    );
    expect(runLine({ workflow: 'default/hello', params: {} })).toBe('orrery run hello');
  });

  it('replays a run with what was changed', () => {
    expect(replayLine(12, { version: 'same', params: {} })).toBe('orrery runs replay 12');
    const params = { day: '2026-03-01' };
    expect(replayLine(12, { version: 'latest', params, priority: 'low', dryRun: false })).toBe(
      'orrery runs replay 12 --latest --param day=2026-03-01 --priority low --no-dry-run',
    );
    const scope = { kind: 'from', tasks: ['load it'] };
    expect(replayLine(12, { version: 'same', params: {}, scope })).toBe(
      "orrery runs replay 12 --from 'load it'",
    );
  });

  it('reaches a shell word for word', () => {
    const word = fc.string({ maxLength: 20 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(word, (value) => {
        const line = runLine({ workflow: 'w', params: { a: value } });
        const heard = execFileSync(
          'sh',
          ['-c', `printf '%s' ${line.slice('orrery run w --param '.length)}`],
          { encoding: 'utf8' },
        );
        expect(heard).toBe(`a=${value}`);
      }),
      { numRuns: 30 },
    );
  });
});

it('tells what a replay has that its run had not, defaults and lost parameters included', () => {
  const before = {
    declared: {
      day: field('date', { default: 'monday' }),
      size: field('integer', { default: '3' }),
      old: field('string'),
    },
    params: { day: 'tuesday', old: 'x' },
  };
  const declared = { day: field('date'), size: field('integer', { default: '4' }), more: field('string') };
  expect(differences(before, { declared, params: { day: 'friday', old: 'x' } })).toEqual([
    { name: 'day', before: 'tuesday', after: 'friday' },
    { name: 'size', before: '3', after: '4' },
    { name: 'old', before: 'x', after: undefined },
  ]);
  expect(differences(before, before)).toEqual([]);
});
