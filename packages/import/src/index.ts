/** Workflows of other systems, read into workflow files. */
export { importDolphinScheduler } from './dolphinscheduler.ts';
export type { ImportNote, ImportResult } from './report.ts';
