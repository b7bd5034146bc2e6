/** A run in memory: what its owner knows of it beside the run itself. */
import type { Alarm, AttemptKey, GivenParameters, Run, Scope } from '@orrery/core/run';
import { isFinal, runMachine } from '@orrery/core/state';
import type { TimerHandle } from '@orrery/core/timing';
import type { LoadedRun, Self } from '@orrery/store';

/** Which run it is, and what it began with. */
interface About {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly parent: LoadedRun['parent'];
  /** What a round that begins now finds in its project. */
  readonly given?: GivenParameters;
  /** It holds slots of limits while it is open. */
  readonly limited: boolean;
  /** The part of the graph its first round walks. */
  readonly scope: Scope;
}

/** Who gives a run away, and why. */
export interface HandOver {
  readonly from: Self;
  readonly reason: string;
}

/** A run in memory. */
export interface RunEntry extends About {
  readonly run: Run;
  readonly timers: Map<TimerHandle, Alarm>;
  /** Inbox rows that are being dealt with. */
  readonly reading: Set<number>;
  /** It waits for a slot, and is here only because something was told to it. */
  waits: boolean;
  /** Dependent tasks of it that are being looked at. */
  looking: number;
  /** It can only wait for a worker group that nobody serves, as far as was seen. */
  unserved: boolean;
  /** It is to be given to another master, and why. */
  handOver: HandOver | undefined;
  /** Its release is being committed; what comes meanwhile is tried again afterwards. */
  afterRelease: (() => void)[] | undefined;
}

/** A run that nothing has been done with yet. */
export function newEntry(about: About, run: Run): RunEntry {
  const { id, workflow, version, parent, given, limited, scope } = about;
  return {
    id,
    workflow,
    version,
    parent,
    given,
    limited,
    scope,
    run,
    timers: new Map(),
    reading: new Set(),
    waits: false,
    looking: 0,
    unserved: false,
    handOver: undefined,
    afterRelease: undefined,
  };
}

/** Whether its last round is over. */
export function hasEnded({ run }: Pick<RunEntry, 'run'>): boolean {
  return isFinal(runMachine, run.fields.state);
}

/** An attempt of a run as a key of sets. */
export function keyText({ task, shard, number }: AttemptKey): string {
  return `${task}.${shard}.${number}`;
}

/** What waited for the release of a run to be committed need not wait any more. */
export function endRelease(entry: RunEntry): void {
  const waiting = entry.afterRelease ?? [];
  entry.afterRelease = undefined;
  for (const again of waiting) again();
}
