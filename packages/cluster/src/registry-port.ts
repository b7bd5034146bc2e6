/** A master's registry settings. */
import type { Registry } from '@orrery/registry';
import type { PlanStrategy } from './plan/planner.ts';
import type { OnRegistryLoss } from './registry-judge.ts';

export interface RegistryPort {
  /** Opens a client with a new session. */
  readonly open: () => Promise<Registry>;
  /** Cluster name, unique among the clusters that share a registry. */
  readonly cluster: string;
  readonly onLoss: OnRegistryLoss;
  /** Stops the wait for an unreachable registry at start. */
  readonly signal?: AbortSignal;
  /** How this master divides schedules when it leads; without it, it does not stand for election. */
  readonly strategy: PlanStrategy | undefined;
  /** Relative capacity of this master, for strategies that use weights. */
  readonly weight?: number;
  /**
   * Called when the mode is `exit` and the session is past its deadline: the process must end in good order.
   */
  readonly exit?: (reason: string) => void;
}
