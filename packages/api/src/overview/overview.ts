/** Home: what needs people, how much is going on, and what comes next; each part is read a few times a second at most, however many look. */

import type { Answer, ReadInput } from '@orrery/contract';
import { english, said } from '@orrery/core/texts';
import type { Store } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { refusalOfEvery } from '../access/scope.ts';
import { isHiddenFrom } from '../cluster-events.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { momentOf } from '../runs/choose.ts';
import { countByTime } from '../runs/histogram.ts';
import { optionalTime, timeText } from '../time.ts';
import { lastChanges } from './changes.ts';
import { countAll, ticksWithin } from './counters.ts';
import { Fresh } from './fresh.ts';
import { JobNeeds } from './job-needs.ts';
import { muteOf, type Need, shownNeed } from './need.ts';
import { findNeeds } from './needs.ts';

type Shown = Answer<'showOverview'>;
type Page = Omit<Shown, 'needs' | 'moreNeeds' | 'mutedNeeds'>;

/** Needs are kept this long: what fails is to be seen within a second. */
const NEEDS_KEPT = 250;
const SECOND = 1_000;
const HOUR = 3_600_000;
const MOST_NEEDS = 20;
const MOST_MUTED = 100;
const SHOWN_TICKS = 10;
const MOST_SCHEDULES = 2_000;
const BUCKETS = 48;

/** The home page of one server. */
export class Overview {
  private readonly context: Context;
  private readonly needs: Fresh<readonly Need[]>;
  private readonly pages: Fresh<Page>;
  private readonly jobNeeds: JobNeeds;
  private readonly slow: Fresh<
    Pick<Shown, 'runs' | 'nextTicks' | 'dueSchedules'> & { ticks: Shown['counters']['ticksNextHour'] }
  >;

  constructor(context: Context) {
    this.context = context;
    const now = () => context.clock.monotonic();
    this.jobNeeds = new JobNeeds(context.jobs ?? [], context.clock);
    this.needs = new Fresh(NEEDS_KEPT, now);
    this.pages = new Fresh(SECOND, now);
    this.slow = new Fresh(10 * SECOND, now);
  }

  /** The page, for all projects or one, as a caller may see it. */
  async show({ project, muted }: ReadInput<'showOverview'>['query'], identity: Identity): Promise<Shown> {
    const { store, clock } = this.context;
    const [needs, page, mutes] = await Promise.all([
      this.findNeeds(project),
      this.pages.get(project ?? '', () => this.read(project)),
      store.listMutes(),
    ]);
    const byId = new Map(mutes.map((mute) => [mute.id, mute]));
    const now = clock.now();
    const reader = { now, withMuted: muted, mayNotMute: refusalOfEvery(identity) };
    const all = needs.flatMap((need) => shownNeed(need, byId.get(need.id), reader) ?? []);
    const shown = all.filter((need) => need.muted === null);
    return {
      ...page,
      changes: page.changes.map((each) => (isHiddenFrom(identity, each) ? { ...each, actor: null } : each)),
      mutedNeeds: needs.filter((need) => muteOf(need, byId.get(need.id), now)).length,
      needs: [
        ...shown.slice(0, MOST_NEEDS),
        ...all.filter((need) => need.muted !== null).slice(0, MOST_MUTED),
      ],
      moreNeeds: Math.max(0, shown.length - MOST_NEEDS),
    };
  }

  /** Hides a need, or shows it again. */
  async mute(id: string, body: ReadInput<'muteNeed'>['body'], by: string): Promise<Answer<'muteNeed'>> {
    const { store, clock } = this.context;
    const now = clock.now();
    const answer = { id, by, at: timeText(now) };
    const need = (await this.findNeeds(undefined)).find((each) => each.id === id);
    if (body.off) {
      await store.unmuteNeed({ id, actor: by, text: need && english(need.said), now });
      return { ...answer, muted: false, until: null };
    }
    if (!need) throw new Refusal('not-found', said('need.gone'));
    const until = body.until === undefined ? null : momentOf(body.until, now);
    if (until !== null && until <= now) throw new Refusal('not-accepted', said('time.past'));
    await store.muteNeed({
      id,
      actor: by,
      at: now,
      until,
      seen: need.mark,
      reason: body.reason,
      text: english(need.said),
    });
    return { ...answer, muted: true, until: optionalTime(until) };
  }

  private findNeeds(project: string | undefined): Promise<readonly Need[]> {
    // Elastic jobs belong to no project.
    const ofJobs = project === undefined ? this.jobNeeds.current() : [];
    return this.needs.get(project ?? '', () => findNeeds(this.context, project, ofJobs));
  }

  private async read(project: string | undefined): Promise<Page> {
    const { store, clock } = this.context;
    const { runs, nextTicks, dueSchedules, ticks } = await this.slow.get(project ?? '', () =>
      this.readSlow(project),
    );
    const [counters, changes, lastFailure, everRun] = await Promise.all([
      countAll(this.context, project, ticks),
      lastChanges(store, project),
      store.lastFailureAt({ project }),
      store.hasEverRun(),
    ]);
    return {
      at: timeText(clock.now()),
      everRun,
      lastFailure: optionalTime(lastFailure),
      counters,
      runs,
      nextTicks,
      dueSchedules,
      changes,
    };
  }

  private async readSlow(project: string | undefined) {
    const { store, clock } = this.context;
    const now = clock.now();
    const due = await dueWithin(store, now, project);
    return {
      runs: await countByTime(store, { project, from: '-24h', to: '-0', buckets: BUCKETS }, now),
      nextTicks: due.slice(0, SHOWN_TICKS).map(({ id, project, workflowName, name, nextDue, spec }) => ({
        schedule: id,
        project,
        workflow: workflowName,
        name,
        due: timeText(nextDue ?? now),
        timezone: spec.timezone,
      })),
      dueSchedules: { value: due.length, more: due.length === MOST_SCHEDULES },
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
