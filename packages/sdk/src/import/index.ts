/** Workflows of other systems as workflow files; apart from the client, because it brings the schemas it reads by. */
export { type ImportNote, importDolphinScheduler } from '@orrery/import';
