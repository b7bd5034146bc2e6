/** Which runs a command means, by options; several states, triggers, versions and tags with commas. */
import type { InputOf } from '@orrery/sdk/client';
import { numberOf } from './connect.ts';

/** The options that choose runs. */
export interface FilterOptions {
  readonly workflow?: string;
  readonly project?: string;
  readonly state?: string;
  readonly trigger?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
  readonly version?: string;
  readonly duration?: string;
  readonly wait?: string;
  readonly owner?: string;
  readonly worker?: string;
  readonly param?: Readonly<Record<string, string>>;
  readonly tag?: string;
  readonly error?: string;
  readonly fingerprint?: string;
  readonly parent?: string;
  readonly backfill?: string;
}

type Asked = Omit<InputOf<'listRuns'>, 'limit' | 'before' | 'after' | 'order' | 'count' | 'unowned'>;

/**
 * The filter in the server's form. The server, which knows them, reports invalid states, triggers and kinds.
 */
export function filterOf(options: FilterOptions): Asked {
  const { workflow, project, from, to, q, duration, wait, owner, worker, error, fingerprint } = options;
  const number = (text: string | undefined, what: string) =>
    text === undefined ? undefined : numberOf(text, what);
  return {
    ...{ workflow, project, from, to, q, duration, wait, owner, worker, error, fingerprint },
    state: options.state?.split(',') as Asked['state'],
    trigger: options.trigger?.split(',') as Asked['trigger'],
    kind: options.kind as Asked['kind'],
    version: options.version?.split(',').map((text) => numberOf(text, 'a version')),
    param: options.param && Object.entries(options.param).map(([name, value]) => `${name}=${value}`),
    tag: options.tag?.split(','),
    parent: number(options.parent, 'a run'),
    backfill: number(options.backfill, 'a run'),
  };
}

/** Whether a filter leaves anything out. */
export function isFiltered(filter: Asked): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}
