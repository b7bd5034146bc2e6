/** The API put together: guards, routes and the answers to errors. */
import { randomUUID } from 'node:crypto';
import { Plans } from '@orrery/store';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { Tokens } from './access/tokens.ts';
import { addConsole } from './console.ts';
import { addGuard, guardHeaders } from './guard.ts';
import type { ApiOptions, TaskTypeInfo } from './options.ts';
import { problemOf, Refusal } from './problem.ts';
import { addAccessRoutes } from './routes/access.ts';
import { addBackfillRoute } from './routes/backfills.ts';
import { addBulkRoutes } from './routes/bulks.ts';
import { addConfigRoute } from './routes/config.ts';
import { addControlRoutes } from './routes/controls.ts';
import { addDraftRoutes } from './routes/drafts.ts';
import { addEnvironmentRoutes } from './routes/environments.ts';
import { addHealthRoute } from './routes/health.ts';
import { addHookRoute } from './routes/hooks.ts';
import { addJobRoutes } from './routes/jobs.ts';
import { addLimitRoutes } from './routes/limits.ts';
import { addLiveRoute } from './routes/live.ts';
import { addLogRoutes } from './routes/logs.ts';
import { addMetrics } from './routes/metrics.ts';
import { addNodeRoutes } from './routes/nodes.ts';
import { addOpenApiRoute } from './routes/openapi.ts';
import { addOverviewRoutes } from './routes/overview.ts';
import { addParameterRoutes } from './routes/parameters.ts';
import { addPreviewRoutes } from './routes/preview.ts';
import { addPublishRoutes } from './routes/publish.ts';
import { addRunRoutes } from './routes/runs.ts';
import { addScheduleRoutes } from './routes/schedules.ts';
import { addSearchRoute } from './routes/search.ts';
import { addTaskGroupRoutes } from './routes/task-groups.ts';
import { addTaskRunRoutes } from './routes/task-runs.ts';
import { addViewRoutes } from './routes/views.ts';
import { addWhyRoute } from './routes/why.ts';
import { addWorkflowRoutes } from './routes/workflows.ts';
import { StartBacklog } from './runs/backlog.ts';
import { taskTypesOf } from './task-types.ts';
import { addTracing } from './tracing.ts';

/** What every route may use. */
export interface Context extends Omit<ApiOptions, 'taskTypes'> {
  /** Those of this server and of living workers. */
  readonly taskTypes: () => Promise<readonly TaskTypeInfo[]>;
  readonly plans: Plans;
  readonly tokens: Tokens;
  readonly backlog: StartBacklog;
}

const MEGABYTE = 1024 * 1024;

/** Versions of workflows that are kept compiled. */
const KEPT_PLANS = 100;

/** Where all routes are. */
const PREFIX = '/api/v1';

/** Builds the API without listening; see `startApi` for a server. */
export function createApi(options: ApiOptions): FastifyInstance {
  const tokens = new Tokens(options);
  const taskTypes = taskTypesOf(options.store, options.taskTypes);
  const context: Context = {
    ...options,
    taskTypes,
    plans: new Plans(options.store, KEPT_PLANS),
    tokens,
    backlog: new StartBacklog(options),
  };
  const app = fastify({
    bodyLimit: MEGABYTE,
    // A whole request must arrive within this; an answer, such as a followed log, may take as long as it likes.
    requestTimeout: 60_000,
    // Whoever sends a byte now and then holds a connection no longer than this.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 2_000 },
    genReqId: () => randomUUID(),
    rewriteUrl: ({ url = '/' }) => withoutBase(url, options.basePath),
    frameworkErrors: (error, request, reply) =>
      answerError(error, request.id, reply as FastifyReply, options),
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request.id, reply, options));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0];
    const refusal = new Refusal('not-found', `there is no ${request.method} ${path} in this API`);
    return answerError(refusal, request.id, reply, options);
  });
  addTracing(app, options.tracing);
  addGuard(app, context);
  app.register(
    async (api) => {
      // First: its hook marks the answers of all routes after it.
      addLiveRoute(api, context);
      addHealthRoute(api, context);
      addOpenApiRoute(api, context);
      addAccessRoutes(api, context);
      addConfigRoute(api, context);
      addWorkflowRoutes(api, context);
      addDraftRoutes(api, context);
      addScheduleRoutes(api, context);
      addParameterRoutes(api, context);
      addViewRoutes(api, context);
      addEnvironmentRoutes(api, context);
      addTaskGroupRoutes(api, context);
      addJobRoutes(api, context);
      addLimitRoutes(api, context);
      addPreviewRoutes(api, context);
      addRunRoutes(api, context);
      addControlRoutes(api, context);
      addBulkRoutes(api, context);
      addBackfillRoute(api, context);
      addHookRoute(api, context);
      addTaskRunRoutes(api, context);
      addLogRoutes(api, context);
      addNodeRoutes(api, context);
      addWhyRoute(api, context);
      addOverviewRoutes(api, context);
      addSearchRoute(api, context);
      addPublishRoutes(api, context);
    },
    { prefix: PREFIX },
  );
  addMetrics(app, options);
  addConsole(app, options);
  return app;
}

/** Behind a proxy the path may still begin with where the server is found. */
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
  // Also where the guard has not come to it: a request line that cannot be read.
  reply.headers({ ...guardHeaders, 'x-request-id': request });
  const retryAfter = error instanceof Refusal ? error.retryAfter : undefined;
  if (problem.status === 503 || retryAfter) reply.header('retry-after', String(retryAfter ?? 1));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(problem.status).type('application/problem+json').send(problem);
}
