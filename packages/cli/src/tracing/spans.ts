/** Spans: one of every request to the API, and for each run a trace of its own with a span of every attempt. */
import { ROOT_CONTEXT, type SpanContext, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RunChange, Store } from '@orrery/store';
import type { Assignment } from '@orrery/wire/frames';
import type { AttemptTracer } from '@orrery/worker';
import { ChosenIds, type TraceIds, traceIds, traceparent } from './ids.ts';
import type { Tracing } from './tracing.ts';

interface Spans {
  readonly tracer: Tracer;
  readonly ids: TraceIds;
  readonly chosen: ChosenIds;
  readonly warn: (text: string) => void;
}

/** Sends spans to the receiver at `url`. */
export function startSpans(url: string, service: string, warn: (text: string) => void): Tracing {
  const chosen = new ChosenIds(new RandomIdGenerator());
  const provider = new TracerProvider({
    idGenerator: chosen,
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const ids = traceIds(service);
  const tracer = provider.getTracer('orrery');
  const spans: Spans = { tracer, ids, chosen, warn };
  return {
    api: { tracer, runContext: ids.run },
    attempts: { begin: (assignment) => beginAttempt(spans, assignment) },
    watchStore: (store) => watchRuns(spans, store),
    stop: () => provider.shutdown(),
  };
}

/** An attempt is part of the trace of its run, and is linked with the one before it. */
function beginAttempt(
  { tracer, ids, chosen }: Spans,
  assignment: Assignment,
): ReturnType<AttemptTracer['begin']> {
  const { attempt, project, workflow, taskName, type } = assignment;
  const context = ids.attempt(attempt);
  const earlier =
    attempt.number > 1 ? [{ context: ids.attempt({ ...attempt, number: attempt.number - 1 }) }] : [];
  return {
    environment: { TRACEPARENT: traceparent(context) },
    ended({ startedAt, endedAt, outcome, exitCode }) {
      const span = chosen.with(context, () =>
        tracer.startSpan(
          `task ${taskName}`,
          {
            startTime: startedAt,
            links: earlier,
            attributes: {
              'orrery.project': project,
              'orrery.workflow': workflow,
              'orrery.run': attempt.run,
              'orrery.task': taskName,
              'orrery.task.type': type,
              'orrery.attempt': attempt.number,
              'orrery.outcome': outcome.state,
              ...(attempt.shard < 0 ? {} : { 'orrery.shard': attempt.shard }),
              ...(exitCode === undefined ? {} : { 'process.exit.code': exitCode }),
            },
          },
          within(ids.run(attempt.run)),
        ),
      );
      if (outcome.state !== 'success')
        span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.error ?? outcome.state });
      span.end(endedAt);
    },
  };
}

function watchRuns(spans: Spans, store: Store): Store {
  return {
    ...store,
    async commitRuns(input) {
      const answer = await store.commitRuns(input);
      const ended = input.changes.filter(({ endedAt }) => typeof endedAt === 'number');
      // After the commit, and beside it: a run never waits for its span.
      if (ended.length > 0)
        endRuns(spans, store, ended).catch((error) => spans.warn(`spans of runs: ${error.message}`));
      return answer;
    },
  };
}

/** The first round is the run's own span; a later one, by a rerun or a recovery, is a span within it. */
async function endRuns(
  { tracer, ids, chosen }: Spans,
  store: Store,
  ended: readonly RunChange[],
): Promise<void> {
  const { runs } = await store.readRunsById({ ids: ended.map(({ run }) => run) });
  const rows = new Map(runs.map((row) => [row.id, row]));
  for (const { run, fields, endedAt } of ended) {
    const row = rows.get(run);
    if (!row || !fields || typeof endedAt !== 'number') continue;
    const name = `${row.project}/${row.name}`;
    const attributes = {
      'orrery.project': row.project,
      'orrery.workflow': row.name,
      'orrery.version': row.version,
      'orrery.run': run,
      'orrery.round': fields.round,
      'orrery.trigger': row.trigger,
      'orrery.state': fields.state,
    };
    const span =
      fields.round === 1
        ? chosen.with(ids.run(run), () =>
            tracer.startSpan(`run ${name}`, { root: true, startTime: row.createdAt, attributes }),
          )
        : tracer.startSpan(
            `round ${fields.round} of ${name}`,
            { startTime: fields.roundStarted, attributes },
            within(ids.run(run)),
          );
    if (fields.state !== 'success') span.setStatus({ code: SpanStatusCode.ERROR, message: fields.reason });
    span.end(endedAt);
  }
}

function within(parent: SpanContext) {
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}
