/** Kinds of alerts and their severities. */

/** Severities, lowest first. */
export const severities = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Properties of a kind: its severity, and whether it lasts until it is resolved. */
interface KindOfAlert {
  readonly severity: Severity;
  readonly lasts: boolean;
  /** Raised only if a rule names the kind: most people want no message about each of these. */
  readonly chosen?: true;
  /** About the cluster, thus of no project: only rules for all projects match it. */
  readonly ofCluster?: true;
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
  'master-lost': { severity: 'critical', lasts: true, ofCluster: true },
  'worker-lost': { severity: 'critical', lasts: true, ofCluster: true },
  'worker-unhealthy': { severity: 'error', lasts: true, ofCluster: true },
  'no-worker': { severity: 'critical', lasts: true, ofCluster: true },
  'leader-changed': { severity: 'info', lasts: false, ofCluster: true },
  'claim-alarm': { severity: 'warning', lasts: true, ofCluster: true },
  disk: { severity: 'warning', lasts: true, ofCluster: true },
  retention: { severity: 'warning', lasts: true, ofCluster: true },
  undelivered: { severity: 'error', lasts: false },
} as const satisfies Readonly<Record<string, KindOfAlert>>;
export type AlertKind = keyof typeof alertKinds;

/** Names of all kinds, for lists and checks. */
export const alertKindNames = Object.keys(alertKinds) as AlertKind[];

/** Whether a kind is raised only if a rule names it. */
export function isChosen(kind: AlertKind): boolean {
  return 'chosen' in alertKinds[kind];
}

/** An alert as rules see it. */
export interface AlertEvent {
  readonly kind: AlertKind;
  /** Empty for an alert about the cluster. */
  readonly project: string;
  /** Name of the workflow, node or channel. */
  readonly name: string;
  readonly tags: readonly string[];
}

/** Whether a severity is at least another one. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}
