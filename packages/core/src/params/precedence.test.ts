import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zone } from '../time/zone.ts';
import { type ParameterSource, type ParameterSources, resolveParameters, type Values } from './precedence.ts';

const options = { businessTime: Date.parse('2026-11-15T07:08:09Z'), zone: zone('UTC') };

function resolve(sources: ParameterSources): Record<string, string> {
  return Object.fromEntries(
    [...resolveParameters(sources, options)].map(([name, { value }]) => [name, value]),
  );
}

describe('precedence', () => {
  it('gives a name to the strongest source that has it', () => {
    const layers: ParameterSource[] = [
      'builtin',
      'startup',
      'local',
      'upstream',
      'global',
      'project',
      'cluster',
    ];
    const names = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', '__proto__', 'constructor'));
    fc.assert(
      fc.property(fc.array(names, { minLength: 7, maxLength: 7 }), (given) => {
        const sources: Record<string, unknown> = {};
        layers.forEach((layer, i) => {
          const values = Object.fromEntries(given[i].map((name) => [name, layer]));
          sources[layer] = layer === 'upstream' ? [{ endedAt: 1, values }] : values;
        });
        const resolved = resolveParameters(sources, options);
        expect([...resolved.keys()].sort()).toEqual([...new Set(given.flat())].sort());
        for (const [name, { value, source }] of resolved) {
          expect(source).toBe(layers.find((_, i) => given[i].includes(name)));
          expect(value).toBe(source);
        }
      }),
    );
  });

  it('lets weaker sources fill a name that is declared without a value', () => {
    const upstream = [{ endedAt: 1, values: { x: 'from upstream' } }];
    expect(resolve({ local: { x: undefined, y: undefined }, upstream, global: { y: 'g' } })).toEqual({
      x: 'from upstream',
      y: 'g',
    });
  });

  it('decides between predecessors that finished together by their order', () => {
    const output = (value: string) => ({ endedAt: 5, values: { x: value } });
    expect(resolve({ upstream: [output('first'), output('second')] })).toEqual({ x: 'first' });
  });
});

describe('values that refer to others', () => {
  it('are expanded in any order of declaration', () => {
    expect(
      resolve({
        global: { path: '/data/${day}/${table}', day: '$[yyyyMMdd-1]' },
        startup: { table: '${prefix}_x' },
        project: { prefix: 'p' },
      }),
    ).toEqual({ path: '/data/20261114/p_x', day: '20261114', table: 'p_x', prefix: 'p' });
  });

  it('keep references to names that nobody gives, or refuse them where asked to', () => {
    expect(resolve({ local: { x: '${HOME}/a' } })).toEqual({ x: '${HOME}/a' });
    expect(() => resolveParameters({ local: { x: '${HOME}/a' } }, { ...options, unknown: 'error' })).toThrow(
      'parameter "x": unknown parameter "HOME"',
    );
  });

  it('get the value they hide when they refer to their own name', () => {
    expect(
      resolve({ local: { x: '${x}/local' }, global: { x: '${x}/global' }, project: { x: 'root' } }),
    ).toEqual({ x: 'root/global/local' });
  });

  it('leave what a program printed as it is', () => {
    const upstream = [{ endedAt: 1, values: { out: '${x} $[nonsense]' } }];
    expect(resolve({ upstream, global: { x: '1', y: '<${out}>' } })).toMatchObject({
      out: '${x} $[nonsense]',
      y: '<${x} $[nonsense]>',
    });
  });

  it.each([
    [{ a: '${b}', b: '${c}', c: '${a}' }, 'a -> b -> c -> a'],
    [{ x: '${y}', y: '${z}', z: '${y}' }, 'y -> z -> y'],
    [{ a: '${a}' }, 'a -> a'],
    [{ a: '$[yyyyMMdd-${a}]' }, 'a -> a'],
  ] satisfies [Values, string][])('refuse the circle in %o', (global, circle) => {
    expect(() => resolveParameters({ global }, options)).toThrow(`in a circle: ${circle}`);
  });

  it('resolve shared references once, and long chains without recursion', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`p${i}`, i === 19_999 ? 'end' : `\${p${i + 1}}`]),
    );
    expect(resolveParameters({ global: chain }, options).get('p0')?.value).toBe('end');
  });

  it('refuse to multiply without bound', () => {
    const laughs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`x${i}`, i === 0 ? 'ha' : `\${x${i - 1}}\${x${i - 1}}`]),
    );
    expect(() => resolveParameters({ global: laughs }, options)).toThrow('more than 1048576 characters');
  });

  it('name the parameter whose time placeholder is wrong', () => {
    expect(() => resolve({ local: { day: '$[YYYY]' } })).toThrow(
      'parameter "day": unsupported time placeholder "$[YYYY]"',
    );
  });
});
