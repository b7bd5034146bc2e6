/** `GET /schedules`, what their due times became, `GET /ticks` of all of them, and pausing and resuming one. */
import type { Answer } from '@orrery/core/contract';
import { timingOf } from '@orrery/core/model';
import { nextTick } from '@orrery/core/time';
import type { Store } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { Changed, Refusal } from '../problem.ts';
import { fireSchedule } from '../schedules/fire.ts';
import { findSchedule, showSchedule } from '../schedules/show.ts';
import { listTicks } from '../schedules/ticks.ts';
import { updateSchedule } from '../schedules/update.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

type TickRow = Awaited<ReturnType<Store['listTicks']>>[number];
type Tick = Answer<'listScheduleTicks'>['ticks'][number];

/** Adds the routes. */
export function addScheduleRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, hints } = context;

  serve(app, context, 'listSchedules', async ({ query, request }) => {
    const { project, state, limit, after } = query;
    const workflow = await workflowId(store, query.workflow);
    const enabled = state && state === 'on';
    const rows = await store.pageSchedules({ project, workflow, enabled, limit, after });
    return {
      schedules: rows.map((row) => showSchedule(row, clock.now())),
      next: nextPage(request, rows, limit, (last) => ({ after: last.id })),
    };
  });

  serve(app, context, 'showSchedule', async ({ params }, reply) => {
    const schedule = await findSchedule(context, params.id);
    reply.header('etag', `"${schedule.version}"`);
    return showSchedule(schedule, clock.now());
  });

  serve(app, context, 'listScheduleTicks', async ({ params, query, request }) => {
    await findSchedule(context, params.id);
    const rows = await store.listTicks({ schedule: params.id, ...query });
    return {
      ticks: rows.map(showTick),
      next: nextPage(request, rows, query.limit, (last) => ({ before: last.due })),
    };
  });

  serve(app, context, 'listTicks', async ({ query, request }) => {
    const { workflow: named, ...page } = query;
    const ticks = await listTicks(context, { ...page, workflow: await workflowId(store, named) });
    const after = ({ due, schedule }: (typeof ticks)[number]) => ({
      after: `${Date.parse(due)}.${schedule}`,
    });
    return { ticks, next: nextPage(request, ticks, query.limit, after) };
  });

  serve(app, context, 'updateSchedule', async ({ params, headers, body, request }, reply) => {
    const schedule = await findSchedule(context, params.id);
    if (headers.ifMatch !== undefined && headers.ifMatch !== schedule.version)
      throw new Changed(
        `the schedule is at version ${schedule.version}`,
        showSchedule(schedule, clock.now()),
      );
    const updated = await updateSchedule(context, schedule, body, request.identity);
    reply.header('etag', `"${updated.version}"`);
    return showSchedule(updated, clock.now());
  });

  serve(app, context, 'fireSchedule', async ({ params, headers, request }, reply) => {
    const schedule = await findSchedule(context, params.id);
    const { run, repeated } = await fireSchedule(context, schedule, headers.idempotencyKey, request.identity);
    reply.header('location', `/api/v1/runs/${run}`);
    return { id: run, repeated };
  });

  for (const [id, enabled] of [
    ['pauseSchedule', false],
    ['resumeSchedule', true],
  ] as const) {
    serve(app, context, id, async ({ params: { id }, headers: { ifMatch: version } }, reply) => {
      const schedule = await findSchedule(context, id);
      const now = clock.now();
      const changed = (current: typeof schedule) =>
        new Changed(`the schedule is at version ${current.version}`, showSchedule(current, now));
      if (version !== undefined && version !== schedule.version) throw changed(schedule);
      if (schedule.enabled === enabled)
        throw new Refusal('conflict', `the schedule is ${enabled ? 'not paused' : 'already paused'}`);
      const nextDue = enabled ? (nextTick(timingOf(schedule.spec), now) ?? null) : null;
      const set = await store.setSchedule({ id, enabled, nextDue, version: schedule.version, now });
      const current = await findSchedule(context, id);
      if (!set) throw changed(current);
      hints.schedulesChanged?.();
      reply.header('etag', `"${current.version}"`);
      return showSchedule(current, now);
    });
  }
}

async function workflowId(store: Store, named: string | undefined): Promise<number | undefined> {
  return named === undefined ? undefined : (await findWorkflow(store, workflowName(named), 'not-found')).id;
}

function showTick({ due, until, count, firedAt, run, reason }: TickRow): Tick {
  if (reason === null) return { due: timeText(due), firedAt: timeText(firedAt), run: run ?? 0 };
  return {
    due: timeText(due),
    until: timeText(until),
    count,
    skipped: reason,
    recordedAt: timeText(firedAt),
  };
}
