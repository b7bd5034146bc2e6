/**
 * Runs: `POST /runs` starts one, `GET /runs` lists them, `GET /runs/{id}` and the paths below it show one.
 */

import { said } from '@orrery/core/texts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { ownKey } from '../once.ts';
import { linkTo } from '../page-link.ts';
import { Refusal } from '../problem.ts';
import { chooseRuns } from '../runs/choose.ts';
import { columnsOf } from '../runs/columns.ts';
import { listEvents } from '../runs/events.ts';
import { groupRuns } from '../runs/groups.ts';
import { countByTime } from '../runs/histogram.ts';
import { countRuns, listRuns, sortRuns } from '../runs/list.ts';
import { listPoints } from '../runs/points.ts';
import { findRun, stateOf } from '../runs/read.ts';
import { replayRun } from '../runs/replay.ts';
import { showRun } from '../runs/show.ts';
import { startRun } from '../runs/start.ts';
import { startRuns } from '../runs/start-many.ts';
import { listTaskWaits } from '../runs/waits.ts';
import { timeText } from '../time.ts';

/** What the operations do. */
export function runHandlers(context: Context) {
  const { store, clock } = context;

  return {
    startRun: async ({ body, headers, request }, reply) => {
      const { run, repeated, counts } = await startRun(
        body,
        ownKey(request.identity, headers.idempotencyKey),
        context,
      );
      reply.header('location', `/api/v1/runs/${run}`);
      return { id: run, state: repeated ? await stateOf(context, run) : 'queued', repeated, counts };
    },

    startRuns: async ({ body, request }) => ({ results: await startRuns(body.runs, context, request) }),

    replayRun: async ({ params, body, headers, request }, reply) => {
      const { run, ...told } = await replayRun(
        context,
        params.id,
        body,
        ownKey(request.identity, headers.idempotencyKey),
      );
      reply.header('location', `/api/v1/runs/${run}`);
      return { id: run, state: told.repeated ? await stateOf(context, run) : 'queued', ...told };
    },

    listRuns: async ({ query, request }) => {
      const { limit, before, after, order, count, ...choice } = query;
      const now = clock.now();
      const chosen = await chooseRuns(store, choice, now);
      const list =
        order === 'longest' || order === 'shortest'
          ? sortRuns(store, chosen, { shortest: order === 'shortest', now, before, past: after, limit })
          : listRuns(store, chosen, { before, after, oldest: order === 'oldest', limit });
      const [page, counted] = await Promise.all([list, count ? countRuns(store, chosen) : undefined]);
      const next =
        page.next === undefined
          ? null
          : linkTo(request, { [order === 'newest' ? 'before' : 'after']: page.next });
      return { runs: page.runs, ...(counted && { count: counted }), next };
    },

    showHistogram: async ({ query }) => countByTime(store, query, clock.now()),

    listRunGroups: async ({ query }) => groupRuns(store, query, clock.now()),

    listRunPoints: async ({ query }) => listPoints(store, query, clock.now()),

    setRunPriority: async ({ params: { id }, body, request }) => {
      const by = request.identity.name;
      const { before } = await store.setRunPriority({ run: id, ...body, by, now: clock.now() });
      return { run: id, priority: body.priority, before };
    },

    setRunTags: async ({ params: { id }, body, request }) => {
      const tags = [...new Set(body.tags)].sort();
      const found = await store.setRunTags({ run: id, tags, by: request.identity.name, now: clock.now() });
      if (!found) throw new Refusal('not-found', said('none.run', { id }));
      return { run: id, tags };
    },

    showRun: async ({ params: { id } }) => showRun(context, id),

    listTasks: async ({ params: { id }, query, request }) => {
      const { from, limit, include } = query;
      const range = { from, to: from + limit };
      const found = await findRun(context, id, range);
      if ('queued' in found) return { ...noColumns(id, found.queued.createdAt), from, next: null };
      const page = await columnsOf(store, found, range, include.includes('needs'));
      return { ...page, next: range.to < page.total ? linkTo(request, { from: range.to }) : null };
    },

    listTaskWaits: async ({ params: { id } }) => listTaskWaits(context, id),

    listRunEvents: async ({ params: { id }, query, request }) => {
      const { events, next } = await listEvents(context, id, query);
      return { events, next: next === undefined ? null : linkTo(request, { after: next }) };
    },
  } satisfies Partial<Handlers>;
}

/** A run that no master has claimed has no task runs yet. */
function noColumns(run: number, createdAt: number) {
  return {
    run,
    total: 0,
    base: timeText(createdAt),
    states: [],
    types: [],
    workers: [],
    reasons: [],
    columns: {
      name: [],
      type: [],
      state: [],
      since: [],
      queued: [],
      started: [],
      ended: [],
      round: [],
      attempt: [],
      worker: [],
      reason: [],
    },
    due: {},
    forced: [],
    shards: {},
  };
}
