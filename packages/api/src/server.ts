/** The API put together: guards, routes and the answers to errors. */

import { randomUUID } from 'node:crypto';
import { operationIds } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import { actForNobody, Plans } from '@orrery/store';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { AuditExport } from './access/audit-export.ts';
import { Refusals } from './access/refusals.ts';
import { Tokens } from './access/tokens.ts';
import { addApprovePage } from './approve-page.ts';
import { addConsole } from './console.ts';
import type { Context } from './context.ts';
import { addGuard, guardHeaders } from './guard.ts';
import { serve } from './input.ts';
import { JobCollector } from './jobs/collector.ts';
import { Hub } from './live/hub.ts';
import type { ApiOptions, Hints } from './options.ts';
import { problemOf, Refusal } from './problem.ts';
import { handlersOf } from './routes/index.ts';
import { addMark } from './routes/live.ts';
import { addMetrics } from './routes/metrics.ts';
import { StartBacklog } from './runs/backlog.ts';
import { taskTypesOf } from './task-types.ts';
import { addTracing } from './tracing.ts';

const MEGABYTE = 1024 * 1024;

/** Versions of workflows that are kept compiled. */
const KEPT_PLANS = 100;

/** Where all routes are. */
const PREFIX = '/api/v1';

/** Builds the API without listening; see `startApi` for a server. */
export function createApi(options: ApiOptions): FastifyInstance {
  const tokens = new Tokens(options);
  const taskTypes = taskTypesOf(options.store, options.taskTypes);
  const hub = new Hub({
    ...options,
    onDefect: (error) => options.onDefect(error, 'live'),
    isValid: (identity) => tokens.isValid(identity),
    onSent: (lag) => options.metrics?.feedLag.observe(Math.max(0, lag) / 1_000),
  });
  const context: Context = {
    ...options,
    hints: afterwards(options.hints),
    taskTypes,
    plans: new Plans(options.store, KEPT_PLANS),
    tokens,
    backlog: new StartBacklog(options),
  };
  const app = fastify({
    bodyLimit: MEGABYTE,
    // A request must arrive completely within this time. An answer, such as a followed log, may take any
    // time.
    requestTimeout: 60_000,
    // A client that trickles bytes cannot hold a connection longer than this.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // The last address, from the right, that is not a trusted proxy: clients can forge everything left of it.
    trustProxy: options.trustedProxy === undefined ? false : [...options.trustedProxy],
    routerOptions: { maxParamLength: 2_000 },
    genReqId: () => randomUUID(),
    rewriteUrl: ({ url = '/' }) => withoutBase(url, options.basePath),
    frameworkErrors: (error, request, reply) =>
      answerError(error, request.id, reply as FastifyReply, options),
  });
  // Pages of other sites may send such a body without consent; no operation needs one.
  app.removeContentTypeParser('text/plain');
  const refusals = new Refusals(options);
  app.setErrorHandler((error, request, reply) => {
    refusals.note(request, error);
    return answerError(error, request.id, reply, options);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0];
    const refusal = new Refusal('not-found', said('none.route', { method: request.method, path }));
    return answerError(refusal, request.id, reply, options);
  });
  addAuditExport(app, options);
  addRequestLog(app, options);
  addTracing(app, options.tracing);
  addGuard(app, context);
  app.register(
    async (api) => {
      // First: its hook marks the answers of all routes after it.
      addMark(api, context);
      // Before the server waits for its connections to end: these would not.
      api.addHook('preClose', () => hub.stop());
      const collectors = (options.jobs ?? []).map(
        (center) =>
          new JobCollector(center, { ...options, onDefect: (error) => options.onDefect(error, 'jobs') }),
      );
      api.addHook('preClose', async () => {
        for (const collector of collectors) collector.stop();
      });
      const handlers = handlersOf(context, hub);
      for (const id of operationIds) serve(api, context, id, handlers);
    },
    { prefix: PREFIX },
  );
  addMetrics(app, options);
  addApprovePage(app, context);
  addConsole(app, options);
  return app;
}

/** Logs each request by its route: a path may contain names that not every reader may see. */
function addRequestLog(app: FastifyInstance, { log }: ApiOptions): void {
  if (!log) return;
  app.addHook(
    'onResponse',
    async ({ id: request, method, routeOptions }, { statusCode: status, elapsedTime }) => {
      const duration = Math.round(elapsedTime);
      const text = `${method} ${routeOptions.url ?? 'unknown path'} ${status} in ${duration} ms`;
      log('debug', text, { request, status, duration });
    },
  );
}

function addAuditExport(app: FastifyInstance, options: ApiOptions): void {
  const { store, clock, auditSyslog: target, log = () => {} } = options;
  if (!target) return;
  const audit = new AuditExport({
    store,
    clock,
    by: randomUUID(),
    target,
    onTrouble: (trouble) =>
      trouble === undefined
        ? log('info', 'the audit is sent to syslog again')
        : log('warn', `the audit cannot be sent to syslog: ${trouble}`),
  });
  app.addHook('onClose', () => audit.stop());
}

/** Work triggered by a hint runs after the request and is awaited by no one. */
function afterwards(hints: Hints): Hints {
  const { bulkMade, queueFilled, schedulesChanged } = hints;
  return {
    commandsQueued: () => actForNobody(() => hints.commandsQueued()),
    inboxTold: (runs) => actForNobody(() => hints.inboxTold(runs)),
    bulkMade: bulkMade && (() => actForNobody(bulkMade)),
    queueFilled: queueFilled && (() => actForNobody(queueFilled)),
    schedulesChanged: schedulesChanged && (() => actForNobody(schedulesChanged)),
  };
}

/** Behind a proxy the path may still start with the base path. */
function withoutBase(url: string, base: string | undefined): string {
  if (!base || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
}

function answerError(
  error: unknown,
  request: string,
  reply: FastifyReply,
  options: ApiOptions,
): FastifyReply {
  const { problem, defect } = problemOf(error, request);
  if (defect) options.onDefect(error, request);
  // Also for requests that never reach the guard, such as an unreadable request line.
  reply.headers({ ...guardHeaders, 'x-request-id': request });
  const retryAfter = error instanceof Refusal ? error.retryAfter : undefined;
  if (problem.status === 503 || retryAfter) reply.header('retry-after', String(retryAfter ?? 1));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(problem.status).type('application/problem+json').send(problem);
}
