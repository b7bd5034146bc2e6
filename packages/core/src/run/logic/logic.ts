/** Behaviour of logic tasks: they run inside the master, hold no worker and no slot, and are not retried. */
import type { Draft } from '../draft.ts';
import type { Happening } from '../events.ts';

/** Events for a waiting logic task. */
type LogicEvent = Extract<Happening, { type: 'child' | 'dependency' }>;

/** One type of logic task. */
export interface Logic {
  /** Its turn has come: end at once, or start to wait. */
  onReady(draft: Draft, i: number): void;
  /** Something it waits for happened; called only while the task run is open. */
  onEvent(draft: Draft, i: number, event: LogicEvent): void;
  /** The run pauses while it waits. */
  onPause(draft: Draft, i: number): void;
  /** The run resumes; the task run is paused, or was told to pause and still waits. */
  onResume(draft: Draft, i: number): void;
  /** It must end early. */
  onStop(draft: Draft, i: number, reason: string): void;
}
