import { join } from 'node:path';
import { credentials, loadPackageDefinition, Metadata, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { addressText } from '@orrery/wire/address';
import { remoteLogs, serveLogs, type WireServer } from '@orrery/wire/network';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostClock } from '../testing/host-clock.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { LogBook } from './log-book.ts';

const proto = join(import.meta.dirname, '..', '..', '..', 'wire', 'proto');
const options = { token: 'hush', timeout: 20_000 };
const book = new LogBook(temporaryFolder(), { age: 1_000, most: 7 });
const attempt = { run: 7, task: 0, shard: -1, number: 1 };
let server: WireServer;
let address: string;

beforeAll(async () => {
  server = await serveLogs({ host: '127.0.0.1', port: 0 }, options, book);
  address = addressText(server.address);
});
afterAll(() => server.stop());

/** A log that is being written. */
function write(workflow: string) {
  const writer = book.write(workflow, attempt, { limit: 10_000_000, secrets: [], clock: hostClock });
  return { say: (text: string) => writer.write(Buffer.from(text)), end: () => book.close(writer) };
}

interface Piece {
  readonly bytes: Buffer;
  readonly next: string;
  readonly size: string;
}

/** The published .proto in the hands of another gRPC implementation. */
function foreignClient(token?: string) {
  const definition = loadSync('orrery/v1/logs.proto', {
    includeDirs: [proto],
    longs: String,
    defaults: true,
  });
  // biome-ignore lint/suspicious/noExplicitAny: grpc-js makes its classes from the file, without types.
  const { orrery } = loadPackageDefinition(definition) as any;
  const client = new orrery.v1.Logs(address, credentials.createInsecure());
  const metadata = new Metadata();
  if (token) metadata.set('authorization', `Bearer ${token}`);
  return {
    read: (request: object) =>
      new Promise<Piece>((resolve, reject) => {
        client.read(request, metadata, (error: ServiceError | null, piece: Piece) =>
          error ? reject(error) : resolve(piece),
        );
      }),
    follow: (request: object): AsyncIterable<Piece> & { cancel(): void } => client.follow(request, metadata),
    close: () => client.close(),
  };
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

describe('the logs of a worker, read by another gRPC implementation', () => {
  it('come by offset and limit', async () => {
    const log = write('pieces');
    log.say('hello world\n');
    await log.end();
    const client = foreignClient('hush');
    const request = { workflow: 'pieces', attempt };
    const whole = await client.read(request);
    expect(whole).toMatchObject({ next: '12', size: '12' });
    expect(String(whole.bytes)).toBe('hello world\n');
    const piece = await client.read({ ...request, offset: 6, limit: 5 });
    expect([String(piece.bytes), piece.next]).toEqual(['world', '11']);
    expect(await client.read({ ...request, workflow: 'other' })).toMatchObject({ size: '0' });
    await expect(client.read({ ...request, offset: -1 })).rejects.toThrow('an offset is 0 or more');
    client.close();
  });

  it('are followed while they grow, to their end', async () => {
    const log = write('growing');
    log.say('one\n');
    const client = foreignClient('hush');
    let text = '';
    for await (const { bytes } of client.follow({ workflow: 'growing', attempt })) {
      const said = text;
      text += bytes;
      if (!said.includes('one\n') && text.includes('one\n')) log.say('two\n');
      if (!said.includes('two\n') && text.includes('two\n')) void log.end();
    }
    expect(text).toBe('one\ntwo\n');
    client.close();
  });

  it.each([undefined, 'guess'])('stay closed to the token %j', async (token) => {
    const client = foreignClient(token);
    await expect(client.read({ workflow: 'pieces', attempt })).rejects.toThrow(
      'the join token is missing or wrong',
    );
    await expect(all(client.follow({ workflow: 'pieces', attempt }))).rejects.toThrow('the join token');
    client.close();
  });
});

describe('the logs of a worker, read by another node', () => {
  it('come whole where they are longer than a message', async () => {
    const log = write('long');
    const line = `${'x'.repeat(99)}\n`;
    for (let k = 0; k < 20_000; k++) log.say(line);
    await log.end();
    const reader = remoteLogs(options)(address);
    let read = '';
    for await (const { bytes } of reader.follow('long', attempt, {
      offset: 0,
      signal: AbortSignal.timeout(20_000),
    }))
      read += Buffer.from(bytes).toString();
    expect(read.length).toBe(2_000_000);
    const first = await reader.read('long', attempt, { offset: 0, limit: 1_048_576 });
    expect(first).toMatchObject({ next: 524_288, size: 2_000_000 });
  });

  it('come with the processes that write them, and a missing one with what is kept', async () => {
    const reader = remoteLogs(options)(address);
    const writer = book.write('busy', attempt, { limit: 1_000, secrets: [], clock: hostClock });
    writer.process = 4411;
    const range = { offset: 0, limit: 10 };
    expect(await reader.read('busy', attempt, range)).toMatchObject({ process: 4411, kept: undefined });
    await book.close(writer);
    expect(await reader.read('never', attempt, range)).toMatchObject({
      size: 0,
      process: undefined,
      kept: { age: 1_000, most: 7, removedUntil: 0 },
    });
  });

  it('are no longer followed by one who has gone', async () => {
    const log = write('left');
    log.say('one\n');
    const gone = new AbortController();
    const reader = remoteLogs(options)(address);
    const heard: string[] = [];
    await expect(
      (async () => {
        for await (const { bytes } of reader.follow('left', attempt, { offset: 0, signal: gone.signal })) {
          heard.push(Buffer.from(bytes).toString());
          gone.abort();
        }
      })(),
    ).rejects.toThrow();
    expect(heard).toEqual(['one\n']);
    await log.end();
  });
});
