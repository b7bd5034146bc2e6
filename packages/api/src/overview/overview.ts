/** Home: what needs people, how much is going on, and what comes next; each part is read a few times a second at most, however many look. */
import type { Answer, ReadInput } from '@orrery/core/contract';
import type { Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import { momentOf } from '../runs/choose.ts';
import { countByTime } from '../runs/histogram.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';
import { lastChanges } from './changes.ts';
import { countAll, ticksWithin } from './counters.ts';
import { Fresh } from './fresh.ts';
import { type Need, shownNeed } from './need.ts';
import { findNeeds } from './needs.ts';

type Shown = Answer<'showOverview'>;

/** Needs are kept this long: what fails is to be seen within a second. */
const NEEDS_KEPT = 250;
const SECOND = 1_000;
const HOUR = 3_600_000;
const MOST_NEEDS = 20;
const SHOWN_TICKS = 10;
const MOST_SCHEDULES = 2_000;
const BUCKETS = 48;

/** The home page of one server. */
export class Overview {
  private readonly context: Context;
  private readonly needs: Fresh<readonly Need[]>;
  private readonly pages: Fresh<Omit<Shown, 'needs' | 'moreNeeds'>>;
  private readonly slow: Fresh<
    Pick<Shown, 'runs' | 'nextTicks'> & { ticks: Shown['counters']['ticksNextHour'] }
  >;

  constructor(context: Context) {
    this.context = context;
    const now = () => context.clock.monotonic();
    this.needs = new Fresh(NEEDS_KEPT, now);
    this.pages = new Fresh(SECOND, now);
    this.slow = new Fresh(10 * SECOND, now);
  }

  /** The page, for all projects or one. */
  async show({ project, muted }: ReadInput<'showOverview'>['query']): Promise<Shown> {
    const { store, clock } = this.context;
    const [needs, page, mutes] = await Promise.all([
      this.findNeeds(project),
      this.pages.get(project ?? '', () => this.read(project)),
      store.listMutes(),
    ]);
    const byId = new Map(mutes.map((mute) => [mute.id, mute]));
    const shown = needs.flatMap((need) => shownNeed(need, byId.get(need.id), clock.now(), muted) ?? []);
    return {
      ...page,
      needs: shown.slice(0, MOST_NEEDS),
      moreNeeds: Math.max(0, shown.length - MOST_NEEDS),
    };
  }

  /** Hides a need, or shows it again. */
  async mute(id: string, body: ReadInput<'muteNeed'>['body'], by: string): Promise<Answer<'muteNeed'>> {
    const { store, clock } = this.context;
    const now = clock.now();
    const answer = { id, by, at: timeText(now) };
    if (body.off) {
      await store.unmuteNeed({ id, actor: by, now });
      return { ...answer, muted: false, until: null };
    }
    const need = (await this.findNeeds(undefined)).find((each) => each.id === id);
    if (!need) throw new Refusal('not-found', 'nothing needs people under this id any more');
    const until = body.until === undefined ? null : momentOf(body.until, now);
    if (until !== null && until <= now) throw new Refusal('not-accepted', 'until: must be a time to come');
    await store.muteNeed({ id, actor: by, at: now, until, seen: need.mark, reason: body.reason });
    return { ...answer, muted: true, until: optionalTime(until) };
  }

  private findNeeds(project: string | undefined): Promise<readonly Need[]> {
    return this.needs.get(project ?? '', () => findNeeds(this.context, project));
  }

  private async read(project: string | undefined): Promise<Omit<Shown, 'needs' | 'moreNeeds'>> {
    const { store, clock } = this.context;
    const { runs, nextTicks, ticks } = await this.slow.get(project ?? '', () => this.readSlow(project));
    const [counters, changes, lastFailure] = await Promise.all([
      countAll(this.context, ticks),
      lastChanges(store, project),
      store.lastFailureAt(),
    ]);
    return {
      at: timeText(clock.now()),
      lastFailure: optionalTime(lastFailure),
      counters,
      runs,
      nextTicks,
      changes,
    };
  }

  private async readSlow(project: string | undefined) {
    const { store, clock } = this.context;
    const now = clock.now();
    const due = await dueWithin(store, now, project);
    return {
      runs: await countByTime(store, { project, from: '-24h', to: '-0', buckets: BUCKETS }, now),
      nextTicks: due.slice(0, SHOWN_TICKS).map(({ id, project, workflowName, name, nextDue }) => ({
        schedule: id,
        project,
        workflow: workflowName,
        name,
        due: timeText(nextDue ?? now),
      })),
      ticks: ticksWithin(
        due.filter(({ nextDue }) => (nextDue ?? 0) <= now + HOUR),
        now,
        due.length === MOST_SCHEDULES,
      ),
    };
  }
}

/** Schedules that are on, soonest first. */
function dueWithin(store: Store, now: number, project: string | undefined) {
  return store.schedulesDueBefore({ from: now, to: now + 24 * HOUR, project, limit: MOST_SCHEDULES });
}
