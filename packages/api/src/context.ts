/** What every handler may use. */
import type { Plans } from '@orrery/store';
import type { Tokens } from './access/tokens.ts';
import type { ApiOptions, TaskTypeInfo } from './options.ts';
import type { StartBacklog } from './runs/backlog.ts';

/** The options of the server, and what it made of them. */
export interface Context extends Omit<ApiOptions, 'taskTypes'> {
  /** Those of this server and of living workers. */
  readonly taskTypes: () => Promise<readonly TaskTypeInfo[]>;
  readonly plans: Plans;
  readonly tokens: Tokens;
  readonly backlog: StartBacklog;
}
