/** Commands: durable requests to start a run, kept in the store until a master with room claims them. */
import type { Scope } from '../run/index.ts';
import type { Priority } from './glossary.ts';
import type { Parameters } from './types.ts';

/** What made a run start. */
export const runTriggers = ['manual', 'api', 'tick', 'dependency', 'webhook', 'child', 'backfill'] as const;
export type RunTrigger = (typeof runTriggers)[number];

/** What a run is: a workflow's own, or one made by the engine to run a workflow over a range of business times. */
export const runKinds = ['normal', 'backfill'] as const;
export type RunKind = (typeof runKinds)[number];

/** An attempt in the whole cluster; `shard` is absent for a task without shards. */
export interface AttemptName {
  readonly run: number;
  readonly task: string;
  readonly shard?: number;
  readonly number: number;
}

/** The task run, in a round of a run, that started a child run as its element number `element`. */
export interface ParentTask {
  readonly run: number;
  readonly task: string;
  readonly round: number;
  readonly element: number;
}

/** A request to start one run. Claimed in the order of (priority, seq). */
export interface StartCommand {
  readonly type: 'start';
  /** Given by the store, growing; decides between equal priorities. */
  readonly seq: number;
  readonly priority: Priority;
  /** The id that the run will have: known to the caller before the run exists. */
  readonly run: number;
  readonly kind: RunKind;
  readonly workflow: { readonly project: string; readonly name: string };
  readonly version: number;
  readonly trigger: RunTrigger;
  /** The schedule whose tick this is; only of trigger `tick`. */
  readonly schedule?: string;
  /** Only of trigger `child`. */
  readonly parent?: ParentTask;
  readonly businessTime: number;
  readonly params: Parameters;
  readonly scope: Scope;
  readonly dryRun: boolean;
}
