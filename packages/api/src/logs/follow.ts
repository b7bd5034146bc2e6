/** A log as it grows: waits for the attempt to be taken, then streams until it has ended. */
import type { AttemptName } from '@orrery/core/run';
import type { Clock } from '@orrery/core/timing';
import type { Context } from '../context.ts';
import { findLog } from './find.ts';
import { readBytes } from './read.ts';

/** Between two looks at an attempt that has no log yet. */
const LOOK_EVERY = 500;

const MOST_TAIL = 64 * 1024;

/** Everything of a log from `offset` on, until the attempt has ended or the reader has gone. */
export async function* followLog(
  context: Context,
  name: AttemptName,
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let sent = false;
  while (!signal.aborted) {
    // Before the log is read: what was written until the end is then read too.
    const { place, ended } = await findLog(context, name);
    if (place) {
      for await (const { bytes, next } of context.logs.follow(place, { offset, signal })) {
        offset = next;
        sent = true;
        yield bytes;
      }
    }
    if (ended) {
      if (!sent) yield Buffer.from((await readBytes(context, name, { offset, limit: MOST_TAIL })).text);
      return;
    }
    await sleep(context.clock, LOOK_EVERY, signal);
  }
}

async function sleep(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(delay, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  timer.cancel();
}
