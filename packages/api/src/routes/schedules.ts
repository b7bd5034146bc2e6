/** `GET /schedules`, their ticks, and pausing and resuming one. */
import type { Answer } from '@orrery/core/contract';
import { timingOf } from '@orrery/core/model';
import { nextTick } from '@orrery/core/time';
import type { NamedSchedule, Store } from '@orrery/store';
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

type TickRow = Awaited<ReturnType<Store['listTicks']>>[number];
type Tick = Answer<'listScheduleTicks'>['ticks'][number];

/** Adds the routes. */
export function addScheduleRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, hints } = context;

  serve(app, context, 'listSchedules', async ({ query, request }) => {
    const workflow =
      query.workflow === undefined
        ? undefined
        : (await findWorkflow(store, workflowName(query.workflow), 'not-found')).id;
    const rows = await store.pageSchedules({ workflow, limit: query.limit, after: query.after });
    return {
      schedules: rows.map(show),
      next: nextPage(request, rows, query.limit, (last) => ({ after: last.id })),
    };
  });

  serve(app, context, 'showSchedule', async ({ params }) => show(await find(context, params.id)));

  serve(app, context, 'listScheduleTicks', async ({ params, query, request }) => {
    await find(context, params.id);
    const rows = await store.listTicks({ schedule: params.id, ...query });
    return {
      ticks: rows.map(showTick),
      next: nextPage(request, rows, query.limit, (last) => ({ before: last.due })),
    };
  });

  for (const [id, enabled] of [
    ['pauseSchedule', false],
    ['resumeSchedule', true],
  ] as const) {
    serve(app, context, id, async ({ params: { id } }) => {
      const schedule = await find(context, id);
      if (schedule.enabled === enabled)
        throw new Refusal('conflict', `the schedule is ${enabled ? 'not paused' : 'already paused'}`);
      const now = clock.now();
      const nextDue = enabled ? (nextTick(timingOf(schedule.spec, 0), now) ?? null) : null;
      await store.setSchedule({ id, enabled, nextDue, now });
      hints.schedulesChanged?.();
      return show(await find(context, id));
    });
  }
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

async function find({ store }: Context, id: number): Promise<NamedSchedule> {
  const found = await store.readSchedule({ id });
  if (!found) throw new Refusal('not-found', `there is no schedule ${id}`);
  return found;
}

function show({
  id,
  project,
  workflowName,
  name,
  spec,
  enabled,
  firedUntil,
  nextDue,
}: NamedSchedule): Answer<'showSchedule'> {
  const { cron, every, timezone } = spec;
  return {
    id,
    project,
    workflow: workflowName,
    name,
    cron,
    every,
    timezone,
    from: optionalTime(spec.from),
    until: optionalTime(spec.until),
    misfire: spec.misfire,
    exclude: spec.exclude,
    params: spec.params,
    state: enabled ? 'on' : 'paused',
    nextDue: optionalTime(nextDue),
    firedUntil: timeText(firedUntil),
  };
}
