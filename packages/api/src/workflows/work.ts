/** Work on workflows; on large ones on a thread of its own, so that everything else goes on meanwhile. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileResult, ParseOptions, Workflow } from '@orrery/core/model';
import { Refusal } from '../problem.ts';
import type { Comparison, Difference } from './compare.ts';
import { type Work, type Works, works } from './works.ts';

/** A text of this size takes some tens of milliseconds to read. */
const LARGE_TEXT = 64 * 1024;

/** So does a workflow of this many tasks to write or to compare. */
const MANY_TASKS = 100;

/** Longer than any honest workflow takes. */
const LONGEST = 60_000;

/** Reads the text of a workflow file; what is known of where it will run is checked too. */
export async function parseFile(text: string, known: ParseOptions = {}): Promise<FileResult> {
  const large = text.length >= LARGE_TEXT;
  // Their schemas can be sent to a thread, what else belongs to a type perhaps not.
  const taskTypes = large ? known.taskTypes?.map(({ name, schema }) => ({ name, schema })) : known.taskTypes;
  return carryOut({ kind: 'parse', input: { ...known, text, taskTypes } }, large);
}

/** Writes a workflow as a file. */
export async function writeFile(workflow: Workflow, format: 'yaml' | 'json'): Promise<string> {
  return carryOut({ kind: 'write', input: { workflow, format } }, workflow.tasks.length > MANY_TASKS);
}

/** Compares two versions of a workflow. */
export async function compareFiles(before: Workflow, after: Workflow): Promise<Comparison> {
  return carryOut({ kind: 'compare', input: { before, after } }, areLarge(before, after));
}

/** Every difference between two versions of a workflow. */
export async function differencesOf(before: Workflow, after: Workflow): Promise<Difference[]> {
  return carryOut({ kind: 'differ', input: { before, after } }, areLarge(before, after));
}

function areLarge(before: Workflow, after: Workflow): boolean {
  return before.tasks.length + after.tasks.length > MANY_TASKS;
}

async function carryOut<Kind extends keyof Works>(work: Work<Kind>, large: boolean): Promise<Works[Kind][1]> {
  return large ? onThread(work) : works[work.kind](work.input);
}

function onThread<Kind extends keyof Works>(work: Work<Kind>): Promise<Works[Kind][1]> {
  const { promise, resolve, reject } = Promise.withResolvers<Works[Kind][1]>();
  const thread = new Worker(new URL(`./workflow-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: work,
  });
  const slow = setTimeout(() => {
    reject(new Refusal('not-accepted', `this took longer than ${LONGEST / 1000} s; split the workflow`));
    void thread.terminate();
  }, LONGEST);
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => {
    clearTimeout(slow);
    reject(new Error('the thread that works on a workflow ended without an answer'));
  });
  return promise;
}
