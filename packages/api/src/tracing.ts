/** A span of every request, as part of the caller's trace where it sent one (W3C Trace Context). */
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';

/** What spans need. */
export interface RequestTracing {
  readonly tracer: Tracer;
  /** The trace context of a run: the request that starts a run is linked with it. */
  runContext(run: number): SpanContext;
}

/** Adds tracing to requests, except event streams, which last as long as their client. */
export function addTracing(app: FastifyInstance, tracing: RequestTracing | undefined): void {
  if (tracing === undefined) return;
  const open = new WeakMap<object, Span>();
  app.addHook('onRequest', async (request) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined || operation === 'followEvents') return;
    const caller = callerOf(request.headers.traceparent);
    const span = tracing.tracer.startSpan(
      operation,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': request.routeOptions.url ?? '',
          'orrery.request': request.id,
        },
      },
      caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT,
    );
    open.set(request, span);
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = open.get(request);
    if (!span) return;
    const started = /\/runs\/(\d+)$/.exec(String(reply.getHeader('location') ?? ''))?.[1];
    if (started !== undefined) span.addLink({ context: tracing.runContext(Number(started)) });
    span.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

function callerOf(header: string | string[] | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(String(header ?? '')) ?? [];
  if (traceId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
