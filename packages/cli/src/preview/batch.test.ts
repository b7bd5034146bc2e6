import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { InvalidInput } from '@orrery/core/errors';
import { describe, expect, it } from 'vitest';
import { previewBatch } from '../run-binary.ts';
import { batch } from './batch.ts';

const echo = (values: Record<string, unknown>) => values;

async function run(chunks: Iterable<Buffer | string>, answer = echo): Promise<string> {
  const output = new PassThrough();
  const [all] = await Promise.all([
    text(output),
    batch(Readable.from(chunks, { objectMode: false }), output, answer).then(() => output.end()),
  ]);
  return all;
}

describe('batch', () => {
  it('puts lines together from any pieces, also of one character', async () => {
    const input = '{"a":"ä€😀"}\n\n  \n{"b":2}\r\n{"c":3}';
    const bytes = [...Buffer.from(input)].map((byte) => Buffer.from([byte]));
    expect(await run(bytes)).toBe('{"a":"ä€😀"}\n{"b":2}\n{"c":3}\n');
  });

  it('answers a refused line by its error, and lets a defect through', async () => {
    const refuse = () => {
      throw new InvalidInput('no');
    };
    expect(await run(['{}\n'], refuse)).toBe('{"error":"no"}\n');
    const defect = () => {
      throw new TypeError('broken');
    };
    await expect(run(['{}\n'], defect)).rejects.toThrow('broken');
  });

  it('refuses a line without end instead of keeping it', async () => {
    function* endless() {
      for (;;) yield 'x'.repeat(65_536);
    }
    await expect(run(endless())).rejects.toThrow('a line is longer than 1048576 characters');
  });

  it('stops reading while nobody takes its answers', async () => {
    let given = 0;
    function* lines() {
      for (; given < 100_000; given++) yield `{"n":${given}}\n`;
    }
    const output = new PassThrough({ highWaterMark: 1_000 });
    const done = batch(Readable.from(lines(), { objectMode: false }), output, echo);
    for (let i = 0; i < 1_000; i++) await turn();
    expect(given).toBeLessThan(50_000);
    output.resume();
    await done;
    expect(given).toBe(100_000);
  });

  it('answers 10,000 lines in order', async () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => ({
      total: i,
      nodes: ['a'],
      strategy: 'balanced',
    }));
    const answers = await previewBatch('plan', lines);
    expect(answers).toEqual(lines.map(({ total }) => ({ nodes: { a: total === 0 ? null : [1, total] } })));
  });
});
