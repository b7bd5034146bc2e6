import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { Outputs } from './outputs.ts';

const folder = temporaryFolder();
const file = (text: string) => {
  const path = join(folder, 'output.json');
  writeFileSync(path, text);
  return path;
};
const printed = async (...chunks: string[]) => {
  const outputs = new Outputs();
  for (const chunk of chunks) outputs.feed(Buffer.from(chunk));
  return (await outputs.finish(undefined)).values;
};

describe('outputs that are printed', () => {
  it('are found in lines, with either sign, also over several lines', async () => {
    const text = `a\n\${setValue(day=2026-01-01)} #{setValue(n=5)}\r\n\${setValue(list=a\nb)}\nend`;
    expect(await printed(text)).toEqual({ day: '2026-01-01', n: '5', list: 'a\nb' });
  });

  it('are found when the output ends without a line end', async () => {
    expect(await printed(`x \${setValue(k=v)}`)).toEqual({ k: 'v' });
  });

  it('are the same however the bytes were cut', () => {
    const text = Buffer.from(
      `before\nlong line without any end \${setValue(k=wért)} #{setValue(l=1\n2)}\nafter`,
    );
    return fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 })), async (cuts) => {
        const outputs = new Outputs();
        let at = 0;
        for (const cut of cuts) {
          outputs.feed(text.subarray(at, at + cut));
          at += cut;
        }
        outputs.feed(text.subarray(at));
        expect((await outputs.finish(undefined)).values).toEqual({ k: 'wért', l: '1\n2' });
      }),
    );
  });

  it('that are not closed are told, not taken', async () => {
    const outputs = new Outputs();
    outputs.feed(Buffer.from('${setValue(k=v'));
    const { values, problems } = await outputs.finish(undefined);
    expect(values).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('is not closed')]);
  });
});

describe('outputs in the file', () => {
  it('become text: lists and objects as JSON', async () => {
    const path = file('{"a":"x","b":1.5,"c":true,"d":[1,"y"],"e":{"f":null}}');
    expect((await new Outputs().finish(path)).values).toEqual({
      a: 'x',
      b: '1.5',
      c: 'true',
      d: '[1,"y"]',
      e: '{"f":null}',
    });
  });

  it('override printed ones, and those of a plugin override both', async () => {
    const outputs = new Outputs();
    outputs.feed(Buffer.from('#{setValue(a=1)}#{setValue(b=1)}#{setValue(c=1)}\n'));
    outputs.set('c', 3);
    expect((await outputs.finish(file('{"b":2,"c":2}'))).values).toEqual({ a: '1', b: '2', c: '3' });
  });

  it('may be missing or empty', async () => {
    expect((await new Outputs().finish(join(folder, 'none.json'))).values).toBeUndefined();
    expect((await new Outputs().finish(file(''))).values).toBeUndefined();
  });

  it.each([
    ['{"a":', /not JSON/],
    ['[1]', /does not hold a JSON object/],
    ['null', /does not hold a JSON object/],
    ['{"a":null}', /output a is null: use a text/],
    ['{"a b":1}', /"a b" is not the name of a parameter/],
  ])('fail the attempt when they are wrong: %s', (text, message) => {
    expect(() => new Outputs().finish(file(text))).toThrow(message);
  });

  it('are limited in number and size', () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, i]));
    expect(() => new Outputs().finish(file(JSON.stringify(many)))).toThrow(/at most 1000 values/);
    const large = JSON.stringify({ a: 'x'.repeat(262_145) });
    expect(() => new Outputs().finish(file(large))).toThrow(/too many outputs/);
  });

  it('hold no characters that a database refuses', async () => {
    expect((await new Outputs().finish(file('{"a":"x\\u0000\\ud800"}'))).values).toEqual({
      a: 'x\uFFFD\uFFFD',
    });
  });
});

describe('a printed value that is too long to be read', () => {
  it('fails the attempt with the limit, wherever its pieces are cut', async () => {
    const outputs = new Outputs();
    outputs.feed(Buffer.from('before\n${setValue(big='));
    for (let i = 0; i < 10; i++) outputs.feed(Buffer.alloc(1_048_576, 'x'));
    outputs.feed(Buffer.from(')}\nafter\n'));
    expect(() => outputs.finish(undefined)).toThrow(/longer than 4194304 bytes/);
  });

  it('does not fail for a long line that hands nothing on', async () => {
    const outputs = new Outputs();
    outputs.feed(Buffer.from('${setValue(a=1)}\n'));
    for (let i = 0; i < 10; i++) outputs.feed(Buffer.alloc(1_048_576, 'x'));
    expect((await outputs.finish(undefined)).values).toEqual({ a: '1' });
  });
});
