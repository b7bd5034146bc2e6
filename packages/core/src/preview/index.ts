/** Previews: results of the rules for named inputs. */
export { CRON_COUNT, cron } from './cron.ts';
export { dependency } from './dependency.ts';
export { type Fields, readFields } from './fields.ts';
export { params } from './params.ts';
export { plan } from './plan.ts';
export type { Preview } from './preview.ts';
export { shards } from './shards.ts';
export { readZone } from './times.ts';
