/** The executor of a real worker: plugins inside it, task processes behind guards and a keeper beside it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@orrery/core/timing';
import type { Assignment, Report } from '@orrery/wire/frames';
import { marksOfLife, marksOfWorker } from '../guard/guard-mark.ts';
import { Keeper } from '../guard/keeper.ts';
import { groupsFolder } from '../guard/leftovers.ts';
import { ProcessScan } from '../guard/process-scan.ts';
import { UsageMeter } from '../guard/usage.ts';
import type { LogBook } from '../log/log-book.ts';
import type { Registry } from '../plugin/registry.ts';
import type { Executor } from '../session/executor.ts';
import { Attempt, type AttemptRoom } from './attempt.ts';
import { machineLoad } from './machine-load.ts';

/** What it is made of. */
export interface ExecutorOptions {
  readonly worker: string;
  readonly folder: string;
  readonly registry: Registry;
  readonly logs: LogBook;
  readonly environment: Readonly<Record<string, string>>;
  readonly killGrace: number;
  readonly logLimit: number;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
  readonly suspect?: () => void;
  readonly trace?: AttemptTracer;
}

/** Follows attempts, for those who look at them among the traces of other systems. */
export interface AttemptTracer {
  begin(assignment: Assignment): {
    /** What the attempt's processes are told, on top of their environment. */
    readonly environment: Readonly<Record<string, string>>;
    ended(report: Report): void;
  };
}

/** Makes it; nothing is started before the first attempt needs it. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { worker, folder, clock, warn, trace } = options;
  const marks = marksOfLife(marksOfWorker(worker, folder), randomBytes(8).toString('hex'));
  const groups = groupsFolder(folder);
  const scan = new ProcessScan();
  const keeper = new Keeper(marks, groups, clock, warn);
  const meter = new UsageMeter(scan, clock);
  const room: AttemptRoom = { ...options, work: join(folder, 'work'), marks, groups, scan, keeper, meter };
  return {
    run(given, report) {
      const span = trace?.begin(given);
      const assignment = span
        ? { ...given, environment: { ...given.environment, ...span.environment } }
        : given;
      const attempt = new Attempt(room, assignment, (made) => {
        span?.ended(made);
        report(made);
      });
      attempt.begin();
      return attempt;
    },
    extend: (left) => keeper.extend(left),
    load: machineLoad(),
    close: () => keeper.close(),
  };
}
