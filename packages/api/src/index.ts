/** The API: REST under /api/v1 over the store. */
export { SHORTEST_TOKEN } from './access/tokens.ts';
export { clusterParts, type HealthPart, type OwnParts } from './health/parts.ts';
export { apiDefaults, type RunningApi, startApi } from './listen.ts';
export { localRefusal } from './local-request.ts';
export { Metrics, type MetricsOptions } from './metrics/metrics.ts';
export type { ApiOptions, Hints, LogPiece, LogPlace, LogSource, TaskTypeInfo } from './options.ts';
export { createApi } from './server.ts';
