/** Work on workflows; on large ones on a thread of its own, so that everything else goes on meanwhile. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileResult, ParseOptions, Workflow } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { Refusal } from '../problem.ts';
import { nobodyWaits, Turns } from '../turns.ts';
import type { Comparison, Difference } from './compare.ts';
import { type Work, type Works, works } from './works.ts';

/** A text of this size takes some tens of milliseconds to read. */
const LARGE_TEXT = 64 * 1024;

/** Aliases of YAML: a short text with them can stand for a very long one. */
const ALIAS = /[\s[{,:]\*\w/;

/** So does a workflow of this many tasks to write or to compare. */
const MANY_TASKS = 100;

/** Large files read at once, each with a processor and its bound of memory, and those that may wait for it. */
const reading = new Turns(2, 4);

/** The limit for work on stored workflows. */
const others = new Turns(2, 32);

/** Megabytes that one may take. */
const MOST_MEMORY = 768;

/** Longer than any honest workflow takes. */
const LONGEST = 60_000;

/** Parses the text of a workflow file and checks it against its context. Ends when `gone` is aborted. */
export async function parseFile(
  text: string,
  known: ParseOptions = {},
  gone?: AbortSignal,
): Promise<FileResult> {
  const large = text.length >= LARGE_TEXT || ALIAS.test(text);
  // Their schemas can be sent to a thread, what else belongs to a type perhaps not.
  const taskTypes = large ? known.taskTypes?.map(({ name, schema }) => ({ name, schema })) : known.taskTypes;
  return carryOut({ kind: 'parse', input: { ...known, text, taskTypes } }, large, gone);
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

async function carryOut<Kind extends keyof Works>(
  work: Work<Kind>,
  large: boolean,
  gone?: AbortSignal,
): Promise<Works[Kind][1]> {
  if (!large) return works[work.kind](work.input);
  return (work.kind === 'parse' ? reading : others).run(() => onThread(work, gone), gone);
}

function onThread<Kind extends keyof Works>(work: Work<Kind>, gone?: AbortSignal): Promise<Works[Kind][1]> {
  const { promise, resolve, reject } = Promise.withResolvers<Works[Kind][1]>();
  const thread = new Worker(new URL(`./workflow-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: 64 },
  });
  const slow = setTimeout(() => {
    reject(new Refusal('not-accepted', said('work.tooLong', { seconds: LONGEST / 1000 })));
    void thread.terminate();
  }, LONGEST);
  const leave = () => {
    reject(nobodyWaits());
    void thread.terminate();
  };
  gone?.addEventListener('abort', leave, { once: true });
  thread.once('message', resolve);
  thread.once('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new Refusal('not-accepted', said('work.tooLarge', { most: MOST_MEMORY }))
        : error,
    ),
  );
  thread.once('exit', () => {
    clearTimeout(slow);
    gone?.removeEventListener('abort', leave);
    reject(new Error('the thread that works on a workflow ended without an answer'));
  });
  return promise;
}
