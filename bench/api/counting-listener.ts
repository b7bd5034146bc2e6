/**
 * A connection that listens and counts. It neither parses nor keeps what comes: 500 that did would need more memory
 * and time than the server that is measured.
 */
import { request } from 'node:http';

const FRAME = Buffer.from('\nevent: frame\n');

/** An open stream of live messages. */
export interface CountingListener {
  /** Settles at the first bytes: the connection is greeted. */
  readonly greeted: Promise<void>;
  /** Frames and bytes that came. */
  readonly frames: number;
  readonly bytes: number;
  close(): void;
}

/** Listens to all runs. */
export function listen(url: string): CountingListener {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const counted = { frames: 0, bytes: 0 };
  let rest: Buffer = Buffer.alloc(0);
  const asked = request(`${url}/api/v1/events?topics=runs`, (answer) => {
    answer.on('data', (chunk: Buffer) => {
      resolve();
      counted.bytes += chunk.length;
      const text = Buffer.concat([rest, chunk]);
      for (let at = text.indexOf(FRAME); at >= 0; at = text.indexOf(FRAME, at + 1)) counted.frames++;
      // Shorter than the searched text, so that nothing is counted twice.
      rest = text.subarray(-(FRAME.length - 1));
    });
    answer.on('error', () => {});
  });
  asked.on('error', reject);
  asked.end();
  return {
    greeted: promise,
    get frames() {
      return counted.frames;
    },
    get bytes() {
      return counted.bytes;
    },
    close: () => asked.destroy(),
  };
}
