/** Traces, for a receiver that the environment names. Where it names none, nothing that makes them is loaded. */
import type { ApiOptions } from '@orrery/api';
import type { Store } from '@orrery/store';
import type { AttemptTracer } from '@orrery/worker';

/** What the roles of a process are given. */
export interface Tracing {
  readonly api: NonNullable<ApiOptions['tracing']>;
  readonly attempts: AttemptTracer;
  /** The same store; what ends in it gets its span. */
  watchStore(store: Store): Store;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

/** Starts it where the environment names a receiver: `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export async function startTracing(
  environment: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  const url = traces ?? (all === undefined ? undefined : `${all.replace(/\/$/, '')}/v1/traces`);
  if (!url) return undefined;
  const { startSpans } = await import('./spans.ts');
  return startSpans(url, environment.OTEL_SERVICE_NAME || 'orrery', warn);
}
