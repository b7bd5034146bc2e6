import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { zone } from '../time/zone.ts';
import { type ParameterSources, resolveParameters } from './precedence.ts';
import { isSecretName, secretMark, withSecrets } from './secret.ts';

const options = { businessTime: 0, zone: zone('UTC'), secret: secretMark };
const values = (sources: ParameterSources) =>
  Object.fromEntries([...resolveParameters(sources, options)].map(([name, { value }]) => [name, value]));
const filled = (sources: ParameterSources) => withSecrets(values(sources), new Map([['key', 'hush']]));

/** What `x` becomes; a reference to what can be no secret, as `${secret.}`, is refused. */
function filledOrRefused(sources: ParameterSources): string {
  try {
    return filled(sources).x;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return '';
  }
}

describe('a secret', () => {
  it('is put in where the author of a workflow or a project names it', () => {
    const url = 'https://${secret.key}@host';
    expect(
      filled({ cluster: { a: url }, project: { b: url }, global: { c: url }, local: { d: '${c}!' } }),
    ).toEqual({
      a: 'https://hush@host',
      b: 'https://hush@host',
      c: 'https://hush@host',
      d: 'https://hush@host!',
    });
  });

  it('is not put in by whoever starts a run or by what a program printed', () => {
    const upstream = [{ endedAt: 0, values: { printed: '${secret.key}', marked: secretMark('key') } }];
    const startup = { started: '${secret.key}', borrowed: '${password}', both: '${printed}' };
    const found = filled({ upstream, startup, global: { password: '${secret.key}', used: '${printed}' } });
    expect(found).toMatchObject({
      printed: '${secret.key}',
      started: '${secret.key}',
      borrowed: '${password}',
    });
    expect(Object.entries(found).filter(([, value]) => value.includes('hush'))).toEqual([
      ['password', 'hush'],
    ]);
  });

  it('cannot be had by any text that is not a reference to it', () => {
    const text = fc.string({ unit: fc.constantFrom('\0', 'key', '$', '{', '}', 'secret.', 'a') });
    fc.assert(
      fc.property(text, (given) => {
        if (given.includes('${secret.key}')) return;
        for (const source of ['local', 'global', 'project', 'cluster', 'startup'] as const)
          expect(filledOrRefused({ [source]: { x: given } })).not.toContain('hush');
      }),
      { numRuns: 1_000, examples: [['${secret.}'], ['${secret.a$}'], ['${secret.key']] },
    );
  });

  it('has a name that is safe in paths and in the environment', () => {
    expect(['db', '_x', 'a-b', 'A1'].every(isSecretName)).toBe(true);
    expect(['', '1a', '.', '..', 'a.b', 'a/b', 'a b', 'x'.repeat(101)].some(isSecretName)).toBe(false);
    expect(() => secretMark('..')).toThrow('is not the name of a secret');
  });
});
