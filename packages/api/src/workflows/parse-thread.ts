/** The thread that reads one large workflow file; started by `parse.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseWorkflowFile } from '@orrery/core/model';
import type { ParseWork } from './parse.ts';

const { text, taskTypes } = workerData as ParseWork;
parentPort?.postMessage(parseWorkflowFile(text, { taskTypes }));
