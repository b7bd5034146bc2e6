/** How a master takes part in a registry. */
import type { Registry } from '@orrery/registry';
import type { PlanStrategy } from './plan/planner.ts';
import type { OnRegistryLoss } from './registry-judge.ts';

export interface RegistryPort {
  /** Opens a client with a new session. */
  readonly open: () => Promise<Registry>;
  /** Clusters that share a registry have different names. */
  readonly cluster: string;
  readonly onLoss: OnRegistryLoss;
  /** Ends the wait for a registry that does not answer when a master starts. */
  readonly signal?: AbortSignal;
  /** How this master divides schedules when it leads; without it, it does not stand for election. */
  readonly strategy: PlanStrategy | undefined;
  /** What this master should carry compared with the others, for strategies that ask for it. */
  readonly weight?: number;
  /** Told with `exit` when the session is past its deadline: the process is to end in good order. */
  readonly exit?: (reason: string) => void;
}
