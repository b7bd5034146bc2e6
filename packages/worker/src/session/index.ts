/** A worker's life with its masters, without processes and disk: what a simulation plays. */
export type { Executor, Running, StopCause } from './executor.ts';
export type { SessionConfig, SessionPorts, SessionStatus } from './ports.ts';
export { Session } from './session.ts';
export { forgetfulStore, type SpooledReport, type SpoolStore } from './spool.ts';
export { stoppedOutcome } from './stopped-outcome.ts';
