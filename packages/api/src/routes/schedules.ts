/** `GET /schedules`, what their due times became, `GET /ticks` of all of them, and pausing and resuming one. */

import type { Answer } from '@orrery/contract';
import { timingOf } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { nextTick } from '@orrery/core/time';
import type { Store } from '@orrery/store';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { ownKey } from '../once.ts';
import { nextPage } from '../page-link.ts';
import { Changed, Refusal } from '../problem.ts';
import { fireSchedule } from '../schedules/fire.ts';
import { recentOf } from '../schedules/recent.ts';
import { findSchedule, showSchedule } from '../schedules/show.ts';
import { countTicks, listTicks } from '../schedules/ticks.ts';
import { updateSchedule } from '../schedules/update.ts';
import { timeText } from '../time.ts';
import { recordedWording } from '../worded.ts';
import { findWorkflow, workflowName } from '../workflows/find.ts';

type TickRow = Awaited<ReturnType<Store['listTicks']>>[number];
type ChangeInput = Parameters<Handlers['pauseSchedule']>[0];
type Tick = Answer<'listScheduleTicks'>['ticks'][number];

/** What the operations do. */
export function scheduleHandlers(context: Context) {
  const { store, clock, hints } = context;

  const turn =
    (enabled: boolean) =>
    async ({ params: { id }, headers: { ifMatch: version } }: ChangeInput, reply: FastifyReply) => {
      const schedule = await findSchedule(context, id);
      // The store's clock decides, not this machine's.
      const now = await store.readTime();
      const changed = (current: typeof schedule) =>
        new Changed(said('schedule.version', { version: current.version }), showSchedule(current, now));
      if (version !== undefined && version !== schedule.version) throw changed(schedule);
      if (schedule.enabled === enabled)
        throw new Refusal(
          'conflict',
          enabled ? said('schedule.isNotPaused') : said('schedule.alreadyPaused'),
        );
      const nextDue = enabled ? (nextTick(timingOf(schedule.spec), now) ?? null) : null;
      const set = await store.setSchedule({ id, enabled, nextDue, version: schedule.version, now });
      const current = await findSchedule(context, id);
      if (!set) throw changed(current);
      hints.schedulesChanged?.();
      reply.header('etag', `"${current.version}"`);
      return showSchedule(current, now);
    };

  return {
    listSchedules: async ({ query, request }) => {
      const { project, state, limit, after } = query;
      const workflow = await workflowId(store, query.workflow);
      const enabled = state && state === 'on';
      const rows = await store.pageSchedules({ project, workflow, enabled, limit, after });
      const recent = query.include.includes('recent') ? await recentOf(context, rows) : undefined;
      return {
        schedules: rows.map((row) => ({ ...showSchedule(row, clock.now()), recent: recent?.get(row.id) })),
        next: nextPage(request, rows, limit, (last) => ({ after: last.id })),
      };
    },

    showSchedule: async ({ params }, reply) => {
      const schedule = await findSchedule(context, params.id);
      reply.header('etag', `"${schedule.version}"`);
      return showSchedule(schedule, clock.now());
    },

    listScheduleTicks: async ({ params, query, request }) => {
      await findSchedule(context, params.id);
      const rows = await store.listTicks({ schedule: params.id, ...query });
      return {
        ticks: rows.map(showTick),
        next: nextPage(request, rows, query.limit, (last) => ({ before: last.due })),
      };
    },

    countTicks: async ({ query }) => {
      const { workflow, ...range } = query;
      return countTicks(context, { ...range, workflow: await workflowId(store, workflow) });
    },

    listTicks: async ({ query, request }) => {
      const { workflow: named, ...page } = query;
      const ticks = await listTicks(context, { ...page, workflow: await workflowId(store, named) });
      const after = ({ due, schedule }: (typeof ticks)[number]) => ({
        after: `${Date.parse(due)}.${schedule}`,
      });
      return { ticks, next: nextPage(request, ticks, query.limit, after) };
    },

    updateSchedule: async ({ params, headers, body, request }, reply) => {
      const schedule = await findSchedule(context, params.id);
      if (headers.ifMatch !== undefined && headers.ifMatch !== schedule.version)
        throw new Changed(
          said('schedule.version', { version: schedule.version }),
          showSchedule(schedule, clock.now()),
        );
      const updated = await updateSchedule(context, schedule, body, request.identity);
      reply.header('etag', `"${updated.version}"`);
      return showSchedule(updated, clock.now(), body.dryRun || updated.enabled);
    },

    pauseSchedule: turn(false),

    resumeSchedule: turn(true),

    fireSchedule: async ({ params, headers, request }, reply) => {
      const schedule = await findSchedule(context, params.id);
      const { run, repeated } = await fireSchedule(
        context,
        schedule,
        ownKey(request.identity, headers.idempotencyKey),
        request.identity,
      );
      reply.header('location', `/api/v1/runs/${run}`);
      return { id: run, repeated };
    },
  } satisfies Partial<Handlers>;
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
    ...recordedWording(reason),
    recordedAt: timeText(firedAt),
  };
}
