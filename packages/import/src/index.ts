/** Workflows of other systems, read into workflow files. */
export type { ImportedAlerts } from './alerts.ts';
export { importDolphinScheduler } from './dolphinscheduler.ts';
export type { ImportNote, ImportResult } from './report.ts';
