/** The thread that reads one large workflow file; started by `parse.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseWorkflowFile } from '@orrery/core/model';

parentPort?.postMessage(parseWorkflowFile(workerData));
