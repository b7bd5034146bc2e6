/**
 * The executor of a real worker: plugins run inside it, task processes behind guards, with a keeper beside
 * it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@orrery/core/timing';
import { type Assignment, attemptText, type Report } from '@orrery/wire/frames';
import { marksOfLife, marksOfWorker } from '../guard/guard-mark.ts';
import { Keeper } from '../guard/keeper.ts';
import { groupsFolder } from '../guard/leftovers.ts';
import { OutputPipes, pipesFolder } from '../guard/output-pipe.ts';
import { ProcessScan } from '../guard/process-scan.ts';
import { UsageMeter } from '../guard/usage.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { LogBook } from '../log/log-book.ts';
import type { Registry } from '../plugin/registry.ts';
import type { Executor } from '../session/executor.ts';
import { endApplication } from './abandoned.ts';
import { Attempt, type AttemptRoom } from './attempt.ts';
import { machineLoad } from './machine-load.ts';

/** Options of an executor. */
export interface ExecutorOptions {
  readonly worker: string;
  readonly folder: string;
  readonly work: string;
  readonly isolation: Isolation;
  readonly registry: Registry;
  readonly logs: LogBook;
  readonly environment: Readonly<Record<string, string>>;
  readonly killGrace: number;
  readonly logLimit: number;
  readonly clock: Clock;
  readonly warn: AttemptRoom['warn'];
  readonly suspect?: () => void;
  readonly trace?: AttemptTracer;
}

/** Traces attempts, for tracing systems. */
export interface AttemptTracer {
  begin(assignment: Assignment): {
    /** Variables added to the environment of the attempt's processes. */
    readonly environment: Readonly<Record<string, string>>;
    ended(report: Report): void;
  };
}

/** Creates an executor. Nothing is started before the first attempt needs it. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { worker, folder, clock, warn, trace, registry } = options;
  const marks = marksOfLife(marksOfWorker(worker, folder), randomBytes(8).toString('hex'));
  const groups = groupsFolder(folder);
  const scan = new ProcessScan();
  const keeper = new Keeper(marks, groups, clock, warn);
  const meter = new UsageMeter(scan, clock);
  const room: AttemptRoom = {
    ...options,
    marks,
    groups,
    scan,
    keeper,
    meter,
    pipes: new OutputPipes(pipesFolder(options.folder)),
  };
  const ending = new Set<string>();
  return {
    run(given, report, keep) {
      const span = trace?.begin(given);
      const assignment = span
        ? { ...given, environment: { ...given.environment, ...span.environment } }
        : given;
      const attempt = new Attempt(
        room,
        assignment,
        (made) => {
          span?.ended(made);
          report(made);
        },
        keep,
      );
      attempt.begin();
      return attempt;
    },
    async end(assignment) {
      const name = attemptText(assignment.attempt);
      if (ending.has(name)) return false;
      ending.add(name);
      try {
        return await endApplication(room, assignment);
      } finally {
        ending.delete(name);
      }
    },
    isWait: (type) => registry.get(type)?.poll !== undefined,
    extend: (left) => keeper.extend(left),
    load: machineLoad(folder),
    close: () => keeper.close(),
  };
}
