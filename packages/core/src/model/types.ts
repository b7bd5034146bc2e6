/**
 * A workflow as the engine sees it: every default filled in, every duration in milliseconds. The workflow
 * file (`schema/workflow.ts`) is how people write it. Nothing here changes after publishing.
 */
import type {
  EndState,
  FailureStrategy,
  hookSchemes,
  MisfirePolicy,
  ParameterType,
  Priority,
  RunMode,
  TimeoutAction,
  TriggerRule,
} from './glossary.ts';

/**
 * Parameters by name. A value is always text, as a person typed it or a program printed it (a list is JSON text
 * or text with commas); its type is checked where a value is declared or given.
 */
export type Parameters = Readonly<Record<string, string>>;

/** A parameter that a workflow declares: what the start form asks for. */
export interface DeclaredParameter {
  readonly type: ParameterType;
  readonly default?: string;
  readonly required: boolean;
  readonly options?: readonly string[];
  /** A regular expression that a given value matches as a whole. */
  readonly pattern?: string;
  readonly description?: string;
  /** Handed back to the parent workflow when the run ends. */
  readonly output: boolean;
}

/** A time limit and what reaching it means. */
export interface Timeout {
  readonly after: number;
  readonly action: TimeoutAction;
}

/** How often and when a failed attempt is tried again. */
export interface Retries {
  readonly limit: number;
  readonly delay: number;
  /** Each further delay is this many times the one before. */
  readonly backoff: number;
  readonly maxDelay: number;
  /** Which worker should take the next attempt. */
  readonly on: 'any' | 'same' | 'other';
  /** Which worker should take those after the first `after` retries. */
  readonly later?: { readonly on: 'any' | 'same' | 'other'; readonly after: number };
}

/** A task split into shards, each an attempt of its own. */
export interface Shards {
  readonly count: number;
  /** Parameter of each shard, by its number; missing ones are empty. */
  readonly parameters: Readonly<Record<number, string>>;
  readonly plan: 'none' | 'static' | 'dynamic';
  readonly strategy: string;
  /** How many workers a plan spreads over, at most. */
  readonly instances?: number;
}

/** A workflow named from inside another one; without a project it means its own. */
export interface WorkflowReference {
  readonly project?: string;
  readonly name: string;
}

/** Runs a child run and waits for it. */
export interface SubWorkflowSpec {
  readonly workflow: WorkflowReference;
  readonly params: Parameters;
}

/** One thing a dependent task waits for. `task` absent: the whole run; a name: that task run. */
export interface DependencyItem {
  readonly workflow: WorkflowReference;
  readonly task?: string;
  /** One of the named windows (`today`, `last1Days`, …) or the previous tick of the same schedule. */
  readonly window: string;
  readonly onFailure: 'fail' | 'wait';
  /** How long a better run is waited for, in milliseconds; only with `wait`, without bound unless given. */
  readonly for?: number;
}

/** Items joined by `all` or `any`; groups nest one level. */
export interface DependentSpec {
  readonly relation: 'all' | 'any';
  readonly groups: readonly { readonly relation: 'all' | 'any'; readonly items: readonly DependencyItem[] }[];
}

/** How one upstream task must have ended for a condition to hold. */
export interface UpstreamCheck {
  readonly task: string;
  readonly is: 'success' | 'failed';
}

/** Chooses the success or the failure branch by how upstream tasks ended. */
export interface ConditionsSpec {
  readonly relation: 'all' | 'any';
  readonly groups: readonly { readonly relation: 'all' | 'any'; readonly items: readonly UpstreamCheck[] }[];
  readonly success: readonly string[];
  readonly failure: readonly string[];
}

/** Chooses the first branch whose expression is true. */
export interface SwitchSpec {
  readonly cases: readonly { readonly when: string; readonly to: readonly string[] }[];
  readonly default?: readonly string[];
}

/** Starts one child run for every combination of the lists. */
export interface DynamicSpec {
  readonly workflow: WorkflowReference;
  readonly params: Parameters;
  /** Lists to combine, in order: JSON text or text with commas, once resolved. */
  readonly over: readonly { readonly name: string; readonly values: string }[];
  /** A combination that contains one of these values is left out. */
  readonly without: readonly string[];
  readonly parallelism: number;
  readonly maxElements: number;
  readonly onFailure: 'continue' | 'stop';
}

/** Waits until a person says yes or no. */
export interface ApprovalSpec {
  /** The question; may refer to parameters. */
  readonly message: string;
  /** What a person fills in; outputs of the task once it is approved. */
  readonly fields: Readonly<Record<string, DeclaredParameter>>;
  /** Names of those who may answer; everyone who may control the run unless given. */
  readonly by?: readonly string[];
  /** Whether a no fails the task, or is an output like a yes. */
  readonly onNo: 'fail' | 'continue';
}

/** What a logic task says in `with`, by its type. */
export interface LogicSpecs {
  'sub-workflow': SubWorkflowSpec;
  dependent: DependentSpec;
  conditions: ConditionsSpec;
  switch: SwitchSpec;
  dynamic: DynamicSpec;
  approval: ApprovalSpec;
}

/** One node of a workflow. */
export interface TaskSpec {
  readonly name: string;
  /** A plugin's name, or one of the logic types. */
  readonly type: string;
  readonly description?: string;
  /** Names of the tasks that come before. */
  readonly needs: readonly string[];
  /** What the type's own schema describes; of a logic task, one of `LogicSpecs`. */
  readonly with: unknown;
  /** Local parameters. */
  readonly params: Parameters;
  readonly trigger: TriggerRule;
  readonly retries: Retries;
  readonly timeout?: Timeout;
  /** Longest wait for a worker to take an attempt; none means it waits. */
  readonly queueTimeout?: number;
  /** How long an attempt waits while no live worker serves its group before it fails; none means it waits. */
  readonly onNoWorker?: { readonly fail: number };
  /** What a worker must have left to take an attempt; memory in bytes. */
  readonly resources?: { readonly cores?: number; readonly memory?: number };
  /** Wait between being ready and being queued. */
  readonly delay: number;
  readonly priority: Priority;
  readonly workerGroup?: string;
  readonly environment?: string;
  readonly group?: { readonly name: string; readonly priority: number };
  readonly shards?: Shards;
  /** Passed over: its successors go on as if it had succeeded. */
  readonly disabled: boolean;
  /** A failure counts as success for successors and for the run. */
  readonly ignoreFailure: boolean;
  readonly onLostContact: 'kill' | 'keep';
}

/** Days on which nothing fires, by date, by day of the year and by weekday (Sunday = 0). */
export interface ExcludedDays {
  readonly dates: readonly string[];
  readonly yearly: readonly string[];
  readonly weekdays: readonly number[];
}

/** When a workflow fires by itself. Exactly one of `cron` and `every`. */
export interface ScheduleSpec {
  readonly name: string;
  readonly cron?: string;
  readonly every?: number;
  readonly timezone: string;
  readonly from?: number;
  readonly until?: number;
  readonly misfire: { readonly policy: MisfirePolicy; readonly threshold: number };
  readonly exclude?: ExcludedDays;
  /** A calendar of the workflow's project whose days are left out too. */
  readonly calendar?: string;
  /** The days of that calendar: the store adds them when it reads the schedule; a file never has them. */
  readonly holidays?: ExcludedDays;
  readonly params: Parameters;
  readonly priority?: Priority;
  /** Whether it fires; where it is not said it does, unless somebody paused it. */
  readonly enabled?: boolean;
}

/** Runs of other workflows that a trigger waits for. */
export interface AfterSpec {
  readonly workflows: readonly WorkflowReference[];
  readonly states: readonly EndState[];
  /** `all`: each has ended so since the trigger last started a run. */
  readonly when: 'all' | 'any';
}

/** What else starts a run: exactly one of `after` and `webhook`. */
export interface TriggerSpec {
  readonly name: string;
  readonly after?: AfterSpec;
  /** The name of the secret that requests are signed with, and parameters by where they stand in the body. */
  readonly webhook?: {
    readonly secret: string;
    readonly params: Parameters;
    /** `orrery` unless given. */
    readonly scheme?: (typeof hookSchemes)[number];
  };
  readonly params: Parameters;
  readonly priority?: Priority;
  readonly enabled: boolean;
}

/** Until when a run of each business day must have succeeded. */
export interface DeadlineSpec {
  /** `HH:mm`; from 24:00 on in the night after the day. */
  readonly at: string;
  readonly timezone: string;
  /** Days of the week, Sunday = 0; all unless given. */
  readonly days?: readonly number[];
}

/** One immutable version of a workflow. */
export interface Workflow {
  readonly project: string;
  readonly name: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly priority: Priority;
  readonly mode: RunMode;
  /** How many runs may be open at once; serial modes are a limit of one. */
  readonly limit?: number;
  /** At most one open run for each business time. */
  readonly onePerPeriod?: boolean;
  /** A start that finds no slot, or no master with room, fails; it waits unless this is given. */
  readonly onNoRoom?: 'fail';
  readonly onFailure: FailureStrategy;
  readonly timeout?: Timeout;
  readonly deadline?: DeadlineSpec;
  readonly workerGroup: string;
  readonly environment?: string;
  readonly tenant: string;
  /** Other projects whose workflows may start, await or hear of it; `*` is every project. */
  readonly callableFrom?: readonly string[];
  readonly timezone: string;
  readonly params: Readonly<Record<string, DeclaredParameter>>;
  readonly schedules: readonly ScheduleSpec[];
  readonly triggers: readonly TriggerSpec[];
  readonly tasks: readonly TaskSpec[];
}
