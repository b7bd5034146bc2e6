/** The worker: starting one, its task types, reading its logs, and cleaning up after it. */

export type { AttemptTracer } from './attempt/executor.ts';
export { type WorkerConfig, type WorkerSettings, workerConfig, workerDefaults } from './config.ts';
export { cleanLeftovers } from './guard/leftovers.ts';
export { LogBook } from './log/log-book.ts';
export { logPath } from './log/path.ts';
export { type LogPiece, type LogRange, readLog, readTail } from './log/reader.ts';
export { type Registry, type TaskType, taskTypes } from './plugin/registry.ts';
export { type LogServer, startWorker, taskRegistry, type Worker, type WorkerPorts } from './worker.ts';
