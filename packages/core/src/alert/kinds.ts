/** What alerts are about, and how much each kind matters. */

/** How much an alert matters, the least first. */
export const severities = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** What a kind of alert is like: its severity, and whether it lasts until something makes it end. */
interface KindOfAlert {
  readonly severity: Severity;
  readonly lasts: boolean;
  /** Raised only where a rule names the kind: most people want no message about each of these. */
  readonly chosen?: true;
}

/** Every kind of alert. */
export const alertKinds = {
  'run-failed': { severity: 'error', lasts: true },
  'run-succeeded': { severity: 'info', lasts: false, chosen: true },
  'run-timeout': { severity: 'warning', lasts: true },
  'task-failed': { severity: 'warning', lasts: false, chosen: true },
  'task-timeout': { severity: 'warning', lasts: true },
  deadline: { severity: 'error', lasts: true },
  'tick-late': { severity: 'warning', lasts: false },
  'tick-skipped': { severity: 'warning', lasts: false },
  'backfill-done': { severity: 'info', lasts: false },
  'approval-waiting': { severity: 'warning', lasts: true },
  'master-lost': { severity: 'critical', lasts: true },
  'worker-lost': { severity: 'critical', lasts: true },
  'worker-unhealthy': { severity: 'error', lasts: true },
  'no-worker': { severity: 'critical', lasts: true },
  'leader-changed': { severity: 'info', lasts: false },
  'claim-alarm': { severity: 'warning', lasts: true },
  disk: { severity: 'warning', lasts: true },
  retention: { severity: 'warning', lasts: true },
  undelivered: { severity: 'error', lasts: false },
  test: { severity: 'info', lasts: false },
} as const satisfies Readonly<Record<string, KindOfAlert>>;
export type AlertKind = keyof typeof alertKinds;

/** The kinds, for lists and checks. */
export const alertKindNames = Object.keys(alertKinds) as AlertKind[];

/** Whether a kind is raised only where a rule names it. */
export function isChosen(kind: AlertKind): boolean {
  return 'chosen' in alertKinds[kind];
}

/** An alert as rules see it. */
export interface AlertEvent {
  readonly kind: AlertKind;
  /** Empty where it is about the cluster. */
  readonly project: string;
  /** Name of the workflow, node or channel. */
  readonly name: string;
  readonly tags: readonly string[];
}

/** Whether a severity is at least another one. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}
