import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, maskText } from './mask.ts';

function stream(chunks: readonly Buffer[], secrets: readonly string[]): Buffer {
  const masker = createMasker(secrets);
  return Buffer.concat([...chunks.map((chunk) => masker.feed(chunk)), masker.finish()]);
}

describe('masking', () => {
  it('hides every secret, the longest where two begin together', () => {
    expect(maskText('pass=abc, key=abcdef.', ['abc', 'abcdef'])).toBe('pass=***, key=***.');
  });

  it('hides what a secret is in JSON', () => {
    expect(maskText('{"a":"say \\"hi\\""}', ['say "hi"'])).toBe('{"a":"***"}');
  });

  it('hides what a secret is in Base64 and in a URL', () => {
    const secret = 's3cr3t/+ pass?';
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    for (const around of ['', 'u:', 'me:', 'you:']) {
      const hidden = maskText(`Basic ${base64(`${around}${secret}!`)}.`, [secret]);
      expect(hidden).toContain('***');
      expect(hidden.length).toBeLessThan(24);
    }
    expect(maskText(Buffer.from(secret).toString('base64url'), [secret])).toContain('***');
    expect(maskText(`?p=${encodeURIComponent(secret)}&`, [secret])).toBe('?p=***&');
  });

  it.each([
    ['curl', 'pa%21ss%28w%29%2F%2B%20%3F%2A~%27'],
    ['Python', 'pa%21ss%28w%29/%2B%20%3F%2A~%27'],
    ['a form of Python', 'pa%21ss%28w%29%2F%2B+%3F%2A~%27'],
    ['a form of a browser', 'pa%21ss%28w%29%2F%2B+%3F*%7E%27'],
    ['encodeURIComponent', "pa!ss(w)%2F%2B%20%3F*~'"],
    ['encodeURI', "pa!ss(w)/+%20?*~'"],
    ['.NET', 'pa%21ss%28w%29%2f%2b%20%3f%2a~%27'],
  ])('hides what %s makes of a secret in a URL', (_, encoded) => {
    expect(maskText(`?p=${encoded}&`, ["pa!ss(w)/+ ?*~'"])).toBe('?p=***&');
  });

  it.each([64, 76])('hides a long secret in Base64 that is broken after %i columns', (columns) => {
    const secret = Array.from({ length: 300 }, (_, k) => `${k * 7919}`).join(' ');
    const lines =
      Buffer.from(`${secret}\n`)
        .toString('base64')
        .match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
    const masked = maskText(lines.join('\n'), [secret]).split('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(new Set(masked.slice(0, -1))).toEqual(new Set(['***']));
    expect(masked.at(-1)).toMatch(/^\*\*\*.{0,3}$/);
  });

  it('leaves text without secrets as it is', () => {
    const chunk = Buffer.from([0, 255, 10, 195]);
    expect(stream([chunk], [])).toEqual(chunk);
    expect(stream([chunk], ['', 'geheim'])).toEqual(chunk);
  });

  it('hides a secret that comes byte by byte', () => {
    const text = Buffer.from('a pässword b pässwor c');
    const bytes = [...text].map((byte) => Buffer.from([byte]));
    expect(stream(bytes, ['pässword']).toString()).toBe('a *** b pässwor c');
  });

  it('holds nothing back that cannot become a secret', () => {
    const masker = createMasker(['secret']);
    expect(masker.feed(Buffer.from('progress 10 %')).toString()).toBe('progress 10 %');
    expect(masker.feed(Buffer.from(' se')).toString()).toBe(' ');
    expect(masker.feed(Buffer.from('t')).toString()).toBe('set');
  });

  it('hides the lines of a secret of several lines', () => {
    const key = '-----BEGIN-----\nMIIabc\nx\n-----END-----';
    expect(maskText('got MIIabc\r\nx\r\n', [key])).toBe('got ***\r\nx\r\n');
  });

  it('treats a secret as text, not as a pattern', () => {
    expect(maskText('a.c abc [x] (y|z)', ['a.c', '(y|z)'])).toBe('*** abc [x] ***');
  });

  it('gives the same however the stream is cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), maxLength: 60 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, fc.array(secret, { maxLength: 4 }), fc.array(fc.nat(20)), (whole, secrets, cuts) => {
        const bytes = Buffer.from(whole);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        expect(stream(chunks, secrets)).toEqual(stream([bytes], secrets));
      }),
    );
  });

  it('leaves no secret behind', () => {
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'x'), maxLength: 80 });
    fc.assert(
      fc.property(text, fc.array(secret, { minLength: 1, maxLength: 3 }), (whole, secrets) => {
        const masked = maskText(whole, secrets);
        for (const one of secrets) expect(masked).not.toContain(one);
      }),
    );
  });
});
