import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zone } from '../time/zone.ts';
import { expandScript, pasteReferences, scriptPlaces } from './script.ts';
import { carrierVariable } from './variables.ts';

const values: Record<string, string> = { day: '20260301', mine: '-a -b', n: '2', x: "'$(id)'" };
const expansion = {
  value: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined),
  foreign: (name: string) => name === 'day' || name === 'n' || name === 'x',
  businessTime: Date.parse('2026-03-02T00:00:00Z'),
  zone: zone('UTC'),
  shell: '/bin/sh',
};

describe('a script', () => {
  it.each([
    ['load "${day}" ${mine} ${HOME}', 'load "${ORRERY_VALUE_day}" -a -b ${HOME}'],
    ["echo '${mine}' '${day:raw}'", "echo '-a -b' '20260301'"],
    ['sh -c "load ${day}"', 'sh -c "load \\${ORRERY_VALUE_day}"'],
    ['echo $((${n} + 1)) $[yyyyMMdd-${n}]', 'echo $((${ORRERY_VALUE_n} + 1)) 20260228'],
  ])('%s becomes %s', (script, expected) => expect(expandScript(script, expansion)).toBe(expected));

  it.each([
    ["echo '${x}'", /\$\{x\} is in single quotes/],
    ["cat <<'E'\n${x}\nE", /quoted end/],
    ['ssh host ${x}', /another machine or user/],
    ['echo $((${x}))', /must be a whole number/],
    ['echo $[yyyy${x}]', /"x" inside a time placeholder of a script must be a whole number/],
  ])("%s is refused where the value is not the author's", (script, message) =>
    expect(() => expandScript(script, expansion)).toThrow(message),
  );

  it('for another program is refused such a value', () => {
    const python = { ...expansion, shell: 'python3' };
    expect(() => expandScript('print("${day}")', python)).toThrow('python3 would parse it');
    expect(expandScript('print("${mine}", ${n:raw})', python)).toBe('print("-a -b", 2)');
  });

  it('never holds such a value', () => {
    const part = fc.constantFrom(
      '"',
      "'",
      '`',
      '$(',
      ')',
      '$((',
      '))',
      '\\',
      '\n',
      ' ',
      '<<E',
      'sh -c ',
      '${v}',
      'E',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const given = { ...expansion, value: () => 'given', foreign: () => true };
        try {
          return !expandScript(parts.join(''), given).includes('given');
        } catch {
          return true;
        }
      }),
    );
  });

  it('of an import pastes values only where no variable can take their place', () => {
    const script = 'echo "${a}" \'${a} ${HOME}\'';
    const known = (name: string) => name === 'a';
    expect(pasteReferences(script, known, false)).toEqual({
      script: 'echo "${a}" \'${a:raw} ${HOME}\'',
      pasted: ['a'],
    });
    expect(pasteReferences('print(${a})', known, true).script).toBe('print(${a:raw})');
    expect(scriptPlaces('echo ${a:raw}')).toMatchObject([{ name: 'a', raw: true }]);
  });
});

it('no two parameters share a variable', () => {
  const names = ['a-b', 'a_b', 'A_B', 'a.b', 'a_u2d_b', 'ab', 'a__b', '数据'];
  expect(new Set(names.map(carrierVariable)).size).toBe(names.length);
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => a === b || carrierVariable(a) !== carrierVariable(b)),
  );
  for (const name of names) expect(carrierVariable(name)).toMatch(/^[A-Za-z_]\w*$/);
});
