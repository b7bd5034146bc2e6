/**
 * Ids of spans, computed from their subject: every process of a cluster derives the same ids for a run and
 * its attempts without communication. The service name is part of them, so that two clusters do not share a
 * trace.
 */
import { createHash } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import type { IdGenerator } from '@opentelemetry/sdk-trace';
import { type AttemptId, attemptText } from '@orrery/wire/frames';

/** Returns the trace context of a run and its attempts. */
export interface TraceIds {
  run(run: number): SpanContext;
  attempt(attempt: AttemptId): SpanContext;
}

/** The ids of one cluster. */
export function traceIds(service: string): TraceIds {
  const hash = (...parts: readonly string[]) =>
    createHash('sha256')
      .update([service, ...parts].join('\n'))
      .digest('hex');
  const context = (run: number, span: string): SpanContext => ({
    traceId: hash('trace', String(run)).slice(0, 32),
    spanId: hash('span', span).slice(0, 16),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
  return {
    run: (run) => context(run, String(run)),
    attempt: (attempt) => context(attempt.run, attemptText(attempt)),
  };
}

/** As the header and the environment variable have it (W3C Trace Context). */
export function traceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Random ids, except for the next span if its id was set. */
export class ChosenIds implements IdGenerator {
  private readonly random: IdGenerator;
  private next: SpanContext | undefined;

  constructor(random: IdGenerator) {
    this.random = random;
  }

  /** Makes a span with these ids. */
  with<T>(context: SpanContext, make: () => T): T {
    this.next = context;
    try {
      return make();
    } finally {
      this.next = undefined;
    }
  }

  generateTraceId = (): string => this.next?.traceId ?? this.random.generateTraceId();

  generateSpanId = (): string => this.next?.spanId ?? this.random.generateSpanId();
}
