import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expand, inert } from '../params/index.ts';
import { zone } from '../time/index.ts';
import { hearsOf, triggerParameters } from './trigger-values.ts';

const ended = { run: 7, workflow: 'etl/load', state: 'success', outputs: { rows: '42' } };

describe('what a trigger hands on', () => {
  it('fills in the run that ended, its workflow, its state and its outputs', () => {
    const params = {
      by: '${trigger.workflow} ${trigger.run} ${trigger.state}',
      rows: '${trigger.outputs.rows}',
      none: '[${trigger.outputs.other}]',
    };
    expect(triggerParameters(params, ended)).toEqual({ by: 'etl/load 7 success', rows: '42', none: '[]' });
  });

  it('leaves other placeholders to the run', () => {
    const params = { day: '$[yyyyMMdd]', table: '${table}', kept: '\\${trigger.run}' };
    expect(triggerParameters(params, ended)).toEqual(params);
  });

  it('hands on what an output says as it is, whatever it looks like', () => {
    const outputs = { name: '${secret.KEY} $[yyyy]' };
    const { name } = triggerParameters({ name: '${trigger.outputs.name}' }, { ...ended, outputs });
    const read = expand(name, { value: () => 'read', businessTime: 0, zone: zone('UTC') });
    expect(read).toBe('\\${secret.KEY} \\$[yyyy]');
  });
});

it('never lets a text from outside refer to anything', () => {
  const text = fc.string({ unit: fc.constantFrom('\\', '$', '{', '}', '[', ']', 'a', 'y', ' ') });
  fc.assert(
    fc.property(text, (outside) => {
      const expansion = { value: () => 'READ', businessTime: 0, zone: zone('UTC') };
      expect(expand(inert(outside), expansion)).toBe(inert(outside));
      expect(inert(outside).replaceAll('\\', '')).toBe(outside.replaceAll('\\', ''));
    }),
  );
});

it.each([
  [['success'], 'success', true],
  [['success'], 'failed', false],
  [['failed'], 'failed', true],
  [['failed'], 'broken', true],
  [['failed'], 'stopped', false],
  [['any'], 'stopped', true],
  [['success', 'failed'], 'success', true],
] as const)('a trigger for %j hears of a run that ended %s: %s', (states, state, heard) => {
  expect(hearsOf(states, state)).toBe(heard);
});
