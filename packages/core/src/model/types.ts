/**
 * A workflow as the engine sees it: defaults filled in, durations in milliseconds. The workflow file
 * (`schema/workflow.ts`) is the form that people write. Nothing here changes after publishing.
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
 * Parameters by name. A value is always text, as a person typed it or a program printed it; a list is JSON
 * text or comma-separated text. The type is checked where a value is declared or given.
 */
export type Parameters = Readonly<Record<string, string>>;

/** A declared parameter of a workflow, shown in the start form. */
export interface DeclaredParameter {
  readonly type: ParameterType;
  readonly default?: string;
  readonly required: boolean;
  readonly options?: readonly string[];
  /** A regular expression that must match the whole value. */
  readonly pattern?: string;
  readonly description?: string;
  /** Whether it is returned to the parent workflow when the run ends. */
  readonly output: boolean;
}

/** A time limit and its action. */
export interface Timeout {
  readonly after: number;
  readonly action: TimeoutAction;
}

/** How often and when to retry a failed attempt. */
export interface Retries {
  readonly limit: number;
  readonly delay: number;
  /** Factor by which each delay exceeds the previous one. */
  readonly backoff: number;
  readonly maxDelay: number;
  /** Which worker should take the next attempt. */
  readonly on: 'any' | 'same' | 'other';
  /** Which worker should take attempts after the first `after` retries. */
  readonly later?: { readonly on: 'any' | 'same' | 'other'; readonly after: number };
}

/** A task split into shards; each shard has its own attempts. */
export interface Shards {
  readonly count: number;
  /** Parameter of each shard, by number; missing ones are empty. */
  readonly parameters: Readonly<Record<number, string>>;
  readonly plan: 'none' | 'static' | 'dynamic';
  readonly strategy: string;
  /** Limit of workers that a plan spreads over. */
  readonly instances?: number;
}

/** A reference to another workflow; without a project it means the referring workflow's own. */
export interface WorkflowReference {
  readonly project?: string;
  readonly name: string;
}

/** Runs a child run and waits for it. */
export interface SubWorkflowSpec {
  readonly workflow: WorkflowReference;
  readonly params: Parameters;
}

/** One condition of a dependent task. `task` absent: the whole run; a name: that task run. */
export interface DependencyItem {
  readonly workflow: WorkflowReference;
  readonly task?: string;
  /** One of the named windows (`today`, `last1Days`, …) or the previous tick of the same schedule. */
  readonly window: string;
  readonly onFailure: 'fail' | 'wait';
  /** How long to wait for a better run, in milliseconds; only with `wait`, default unlimited. */
  readonly for?: number;
}

/** Items joined by `all` or `any`; groups nest one level. */
export interface DependentSpec {
  readonly relation: 'all' | 'any';
  readonly groups: readonly { readonly relation: 'all' | 'any'; readonly items: readonly DependencyItem[] }[];
}

/** Required ending of one upstream task. */
export interface UpstreamCheck {
  readonly task: string;
  readonly is: 'success' | 'failed';
}

/** Chooses the success or the failure branch by the endings of upstream tasks. */
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
  /** Lists to combine, in order: JSON text or comma-separated text after resolving. */
  readonly over: readonly { readonly name: string; readonly values: string }[];
  /** Combinations with one of these values are left out. */
  readonly without: readonly string[];
  readonly parallelism: number;
  readonly maxElements: number;
  readonly onFailure: 'continue' | 'stop';
}

/** Waits for a person's yes or no. */
export interface ApprovalSpec {
  /** The question; may refer to parameters. */
  readonly message: string;
  /** Fields for the person to fill in; outputs of the task once it is approved. */
  readonly fields: Readonly<Record<string, DeclaredParameter>>;
  /** Names of those who may answer; default: everyone who may control the run. */
  readonly by?: readonly string[];
  /** Whether a no fails the task, or is an output like a yes. */
  readonly onNo: 'fail' | 'continue';
}

/** `with` of a logic task, by type. */
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
  /** Name of a plugin, or one of the logic types. */
  readonly type: string;
  readonly description?: string;
  /** Names of the predecessors. */
  readonly needs: readonly string[];
  /** Settings, described by the type's own schema; for a logic task, one of `LogicSpecs`. */
  readonly with: unknown;
  /** Local parameters. */
  readonly params: Parameters;
  readonly trigger: TriggerRule;
  readonly retries: Retries;
  readonly timeout?: Timeout;
  /** Longest wait for a worker to take an attempt; absent: unlimited. */
  readonly queueTimeout?: number;
  /** How long an attempt waits without a live worker for its group before it fails; absent: unlimited. */
  readonly onNoWorker?: { readonly fail: number };
  /** Free capacity a worker needs to take an attempt; memory in bytes. */
  readonly resources?: { readonly cores?: number; readonly memory?: number };
  /** Delay between ready and queued. */
  readonly delay: number;
  readonly priority: Priority;
  readonly workerGroup?: string;
  readonly environment?: string;
  readonly group?: { readonly name: string; readonly priority: number };
  readonly shards?: Shards;
  /** Passed over: its successors continue as if it had succeeded. */
  readonly disabled: boolean;
  /** Whether a failure counts as success for successors and for the run. */
  readonly ignoreFailure: boolean;
  readonly onLostContact: 'kill' | 'keep';
}

/** Days without ticks, by date, by day of the year and by weekday (Sunday = 0). */
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
  /** A calendar of the workflow's project whose days are also excluded. */
  readonly calendar?: string;
  /** Days of that calendar: the store adds them when it reads the schedule; a file never has them. */
  readonly holidays?: ExcludedDays;
  readonly params: Parameters;
  readonly priority?: Priority;
  /** Whether it fires; if absent, it does unless somebody paused it. */
  readonly enabled?: boolean;
}

/** Runs of other workflows that a trigger waits for. */
export interface AfterSpec {
  readonly workflows: readonly WorkflowReference[];
  readonly states: readonly EndState[];
  /** `all`: each has ended this way since the trigger last started a run. */
  readonly when: 'all' | 'any';
}

/** Another way to start runs: exactly one of `after` and `webhook`. */
export interface TriggerSpec {
  readonly name: string;
  readonly after?: AfterSpec;
  /** Name of the secret that signs requests, and parameters by their path in the body. */
  readonly webhook?: {
    readonly secret: string;
    readonly params: Parameters;
    /** Default: `orrery`. */
    readonly scheme?: (typeof hookSchemes)[number];
  };
  readonly params: Parameters;
  readonly priority?: Priority;
  readonly enabled: boolean;
}

/** The time by which a run of each business day must have succeeded. */
export interface DeadlineSpec {
  /** `HH:mm`; from 24:00 on, in the night after the day. */
  readonly at: string;
  readonly timezone: string;
  /** Days of the week, Sunday = 0; default: all. */
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
  /** Limit of open runs; serial modes are a limit of one. */
  readonly limit?: number;
  /** At most one open run for each business time. */
  readonly onePerPeriod?: boolean;
  /** A start without a slot, or without a master with room, fails; by default it waits. */
  readonly onNoRoom?: 'fail';
  readonly onFailure: FailureStrategy;
  readonly timeout?: Timeout;
  readonly deadline?: DeadlineSpec;
  readonly workerGroup: string;
  readonly environment?: string;
  readonly tenant: string;
  /** Other projects whose workflows may start, await or be triggered by it; `*` is every project. */
  readonly callableFrom?: readonly string[];
  readonly timezone: string;
  readonly params: Readonly<Record<string, DeclaredParameter>>;
  readonly schedules: readonly ScheduleSpec[];
  readonly triggers: readonly TriggerSpec[];
  readonly tasks: readonly TaskSpec[];
}
