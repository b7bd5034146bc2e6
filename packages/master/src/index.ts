/** A master and what it stands on. */
export { Master } from './master.ts';
export { type Log, type MasterConfig, masterDefaults, type Ports } from './ports.ts';
export { type RetentionConfig, retentionDefaults } from './retention.ts';
