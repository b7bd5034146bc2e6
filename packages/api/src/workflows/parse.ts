/** Reads workflow files; large ones on a thread of their own, so that everything else goes on meanwhile. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type FileResult, type KnownType, parseWorkflowFile } from '@orrery/core/model';
import { Refusal } from '../problem.ts';

/** A text of this size takes some tens of milliseconds to read. */
const LARGE = 64 * 1024;

/** Longer than any honest file takes. */
const LONGEST = 60_000;

/** Reads the text of a workflow file; where types are given, tasks of others are problems. */
export async function parseFile(text: string, taskTypes?: readonly KnownType[]): Promise<FileResult> {
  return text.length < LARGE ? parseWorkflowFile(text, { taskTypes }) : parseOnThread(text, taskTypes);
}

/** What the thread is given. */
export interface ParseWork {
  readonly text: string;
  readonly taskTypes?: readonly KnownType[];
}

function parseOnThread(text: string, taskTypes?: readonly KnownType[]): Promise<FileResult> {
  const { promise, resolve, reject } = Promise.withResolvers<FileResult>();
  const work: ParseWork = { text, taskTypes: taskTypes?.map(({ name, schema }) => ({ name, schema })) };
  const thread = new Worker(new URL(`./parse-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: work,
  });
  const slow = setTimeout(() => {
    reject(new Refusal('not-accepted', `reading the file took longer than ${LONGEST / 1000} s; split it`));
    void thread.terminate();
  }, LONGEST);
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => {
    clearTimeout(slow);
    reject(new Error('the thread that reads a workflow file ended without an answer'));
  });
  return promise;
}
