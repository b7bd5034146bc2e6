/**
 * The body of a SQLite thread: runs operations by name, one at a time. Writes that arrive while the disk is
 * busy are committed together, each still all or nothing.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { carried, reading, writing } from './catalogue.ts';
import type { Operation } from './operation.ts';
import { packError } from './packed-error.ts';
import { settle } from './settled.ts';
import { SqliteDriver } from './sqlite.ts';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from './sqlite-thread.ts';

const written = { ...writing, ...carried };

/** Limit of writes per transaction. */
const MOST = 64;

const port = parentPort;
if (!port) throw new Error('this is the main module of a thread');
const { path, reads } = workerData as ThreadStart;
const answer = (message: ThreadAnswer) => port.postMessage(message);

try {
  const driver = new SqliteDriver(path, { readOnly: reads });
  port.on('message', (request: ThreadRequest) => serve(driver, [request]));
  answer({ id: 0 });
} catch (error) {
  answer({ id: 0, error: packError(error) });
}

function serve(driver: SqliteDriver, requests: ThreadRequest[]): void {
  while (!reads && requests.length < MOST) {
    const next: { message: ThreadRequest } | undefined = receiveMessageOnPort(
      port as NonNullable<typeof port>,
    );
    if (!next) break;
    requests.push(next.message);
  }
  const closing = requests.findIndex(({ name }) => name === 'close');
  const asked = closing < 0 ? requests : requests.slice(0, closing);
  const settled = reads
    ? asked.map((request) => settle(() => driver.read(operationOf(reading, request))))
    : driver.transactAll(asked.map((request) => operationOf(written, request)));
  asked.forEach(({ id }, k) => {
    const outcome = settled[k];
    answer('error' in outcome ? { id, error: packError(outcome.error) } : { id, result: outcome.result });
  });
  if (closing < 0) return;
  driver.close();
  answer({ id: requests[closing].id });
}

function operationOf(from: object, { name, input }: ThreadRequest): () => Operation<unknown> {
  const make = (from as Record<string, (...input: readonly unknown[]) => Operation<unknown>>)[name];
  return () => make(...input);
}
