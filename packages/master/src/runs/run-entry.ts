/** A run in memory, with what its owner tracks beside the run itself. */
import type { Alarm, AttemptKey, GivenParameters, Run, Scope } from '@orrery/core/run';
import { isFinal, runMachine } from '@orrery/core/state';
import type { TimerHandle } from '@orrery/core/timing';
import type { LoadedRun, Self } from '@orrery/store';

/** The identity of a run and the input it started with. */
interface About {
  readonly id: number;
  readonly workflow: number;
  readonly version: number;
  readonly parent: LoadedRun['parent'];
  /** Its last committed revision, which only its owner raises. */
  revision: number;
  /** The project parameters for a round that starts now. */
  readonly given?: GivenParameters;
  /** Whether it holds slots of limits while it is open. */
  readonly limited: boolean;
  /** The part of the graph its first round walks. */
  readonly scope: Scope;
}

/** The master that hands a run over, and the reason. */
export interface HandOver {
  readonly from: Self;
  readonly reason: string;
}

/** A run in memory. */
export interface RunEntry extends About {
  readonly run: Run;
  readonly timers: Map<TimerHandle, Alarm>;
  /** Inbox rows being processed. */
  readonly reading: Set<number>;
  /** Whether it waits for a slot, and is in memory only to process a message. */
  waits: boolean;
  /** Its dependent tasks being checked. */
  looking: number;
  /** Whether, at the last check, it could only wait for a worker group that no worker serves. */
  unserved: boolean;
  /** Set when the run is to be handed to another master. */
  handOver: HandOver | undefined;
  /** Set while the release is being committed: calls to retry afterwards. */
  afterRelease: (() => void)[] | undefined;
}

/** The entry of a run before its first event. */
export function newEntry(about: About, run: Run): RunEntry {
  const { id, workflow, version, parent, revision, given, limited, scope } = about;
  return {
    id,
    workflow,
    version,
    parent,
    revision,
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

/** Retries the calls that waited for the release to be committed. */
export function endRelease(entry: RunEntry): void {
  const waiting = entry.afterRelease ?? [];
  entry.afterRelease = undefined;
  for (const again of waiting) again();
}
