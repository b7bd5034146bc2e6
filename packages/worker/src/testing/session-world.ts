/** A session in virtual time, with a scripted master and attempts that the test ends. */
import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '@orrery/core/timing';
import { type Assignment, attemptText, type Report } from '@orrery/wire/frames';
import type { Executor, StopCause } from '../session/executor.ts';
import { Session } from '../session/session.ts';
import { forgetfulStore, type SpoolStore } from '../session/spool.ts';
import { stoppedOutcome } from '../session/stopped-outcome.ts';
import { ScriptedMaster } from './scripted-master.ts';

/** Attempts that run until the test ends them; `dies` false keeps stopped ones alive, as a slow kill would. */
class FakeExecutor implements Executor {
  readonly running = new Map<string, { assignment: Assignment; end: (report: Report) => void }>();
  readonly started: string[] = [];
  readonly stops: [string, StopCause][] = [];
  readonly extensions: number[] = [];
  dies = true;
  closed = false;

  run(assignment: Assignment, ended: (report: Report) => void) {
    const key = attemptText(assignment.attempt);
    const end = (report: Report) => {
      this.running.delete(key);
      ended(report);
    };
    this.started.push(key);
    this.running.set(key, { assignment, end });
    return {
      stop: (cause: StopCause) => {
        this.stops.push([key, cause]);
        if (this.dies) this.finish(assignment, stoppedOutcome('w', cause));
      },
    };
  }

  finish({ attempt }: Assignment, outcome: Report['outcome'] = { state: 'success' }): void {
    this.running.get(attemptText(attempt))?.end({ attempt, outcome, startedAt: 0, endedAt: 0 });
  }

  extend(left: number): void {
    this.extensions.push(left);
  }

  load() {
    return { cpu: 0.5, memory: 0.25 };
  }

  close(): void {
    this.closed = true;
  }
}

const config = {
  name: 'w',
  address: 'w:1',
  groups: ['default'],
  slots: 2,
  masters: ['m1', 'm2'],
  connectTimeout: 5_000,
};

/** Opens a connection. */
export type Dial = ScriptedMaster['connect'];

/** A session before its start. */
export function setUp(
  changes: { slots?: number; masters?: string[]; store?: SpoolStore; wire?: (dial: Dial) => Dial } = {},
) {
  const clock = new VirtualClock(1_000_000);
  const master = new ScriptedMaster();
  const executor = new FakeExecutor();
  const logged: string[] = [];
  const session = new Session(
    { ...config, ...changes },
    {
      clock,
      connect: changes.wire?.(master.connect) ?? master.connect,
      executor,
      spool: changes.store ?? forgetfulStore(),
      log: (level, text) => logged.push(`${level}: ${text}`),
      random: () => 1,
      soon: queueMicrotask,
    },
  );
  const pass = (ms: number) => clock.advanceAsync(ms, () => turn());
  return { clock, master, executor, session, logged, pass };
}

/** A session welcomed by a master. */
export async function serving(changes: Parameters<typeof setUp>[0] = {}) {
  const world = setUp(changes);
  world.session.start();
  await world.pass(1);
  return world;
}
