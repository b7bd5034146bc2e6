import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEventStream, type StreamMessage } from './event-stream.ts';

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function read(pieces: readonly Uint8Array[]): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = [];
  for await (const message of readEventStream(streamOf(pieces))) messages.push(message);
  return messages;
}

const bytes = (text: string) => new TextEncoder().encode(text);

it('reads names, ids and data of several lines; comments and unknown fields are passed over', async () => {
  const text =
    ': hello\nretry: 1000\n\nid: 7\nevent: frame\ndata: {"a":\ndata: 1}\n\ndata:x\n\nid\ndata: y\n\n';
  expect(await read([bytes(text)])).toEqual([
    { event: 'frame', data: '{"a":\n1}', id: '7' },
    { event: 'message', data: 'x', id: '7' },
    { event: 'message', data: 'y', id: '' },
  ]);
});

it('leaves out what was cut off, and messages without data', async () => {
  expect(await read([bytes('event: a\n\ndata: 1\n\ndata: half')])).toEqual([
    { event: 'message', data: '1', id: undefined },
  ]);
});

it('reads the same however the bytes are cut, and whichever line ends are used', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ unit: 'binary' }).filter((text) => !/[\r\n]/.test(text)),
        { maxLength: 5 },
      ),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(40), { maxLength: 20 }),
      async (texts, end, cuts) => {
        const all = bytes(texts.map((text) => `data: ${text}${end}${end}`).join(''));
        const pieces: Uint8Array[] = [];
        let from = 0;
        for (const cut of cuts) {
          pieces.push(all.subarray(from, from + cut));
          from += cut;
        }
        pieces.push(all.subarray(from));
        // A lone surrogate has no form in bytes.
        const expected = texts.map((text) => new TextDecoder().decode(bytes(text)));
        expect((await read(pieces)).map(({ data }) => data)).toEqual(expected);
      },
    ),
  );
});
