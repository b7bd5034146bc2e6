/** Needs about schedules: ticks that did not come, and ticks that were passed over. */
import type { NamedSchedule, Skip } from '@orrery/store';
import { timeText } from '../time.ts';
import { MOST_EXAMPLES, type Need, need } from './need.ts';

/** Schedules that were due and have not fired, soonest first: one cause holds them all up. */
export function lateTicks(late: readonly Pick<NamedSchedule, 'id' | 'name' | 'nextDue'>[]): Need[] {
  const [first] = late;
  if (!first) return [];
  const due = first.nextDue ?? 0;
  const others = late.length > 1 ? ` and ${late.length - 1} more` : '';
  return [
    need('late-tick', 'late', {
      text: `schedule ${first.name}${others} was due at ${timeText(due)} and has not fired`,
      fields: { schedule: first.name, due: timeText(due), count: late.length },
      since: due,
      count: late.length,
      examples: late.slice(0, MOST_EXAMPLES).map(({ id }) => String(id)),
      address: late.length === 1 ? `/schedules/${first.id}` : '/schedules',
    }),
  ];
}

/** Ticks that were skipped, by schedule. */
export function skippedTicks(skips: readonly Skip[]): Need[] {
  return [...Map.groupBy(skips, ({ schedule }) => schedule)].map(([schedule, list]) => {
    const [{ project, workflow, name, reason }] = list;
    const count = list.reduce((sum, skip) => sum + skip.count, 0);
    return need('skipped-ticks', String(schedule), {
      text: `schedule ${name} of ${project}/${workflow} skipped ${count} ${count === 1 ? 'tick' : 'ticks'}: ${reason}`,
      fields: { schedule: name, workflow: `${project}/${workflow}`, count, reason },
      since: Math.min(...list.map(({ from }) => from)),
      count,
      examples: [String(schedule)],
      address: `/schedules/${schedule}`,
      mark: Math.max(...list.map(({ at }) => at)),
    });
  });
}
