/** The master, its configuration and its ports. */

export { type RetentionConfig, retentionDefaults } from './duties/retention.ts';
export { Master } from './master.ts';
export { type MasterConfig, masterDefaults, type Ports } from './ports.ts';
