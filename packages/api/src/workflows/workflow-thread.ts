/** The thread that does one piece of work on a large workflow; started by `work.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Work, works } from './works.ts';

const { kind, input } = workerData as Work;
parentPort?.postMessage(works[kind](input as never));
